/**
 * Loaded before the program that `lookback dev` runs. It passes the sockets that the program listens on to `lookback dev`,
 * which keeps them open during a restart, so that connections wait instead of being refused; the next run of the program
 * listens on them again. It ends the program when `lookback dev` is gone, however that ended.
 */
import { Server } from 'node:net';

/** Sockets of the previous run, by address. Module state, because one program is one process. */
const heldSockets = new Map<string, object>();
/** Milliseconds after the first socket, in which the program may ask for the others. */
const claimMs = 1000;
/** Milliseconds that the program has for ending before it is killed. */
const killMs = 6000;
const expected = Number(new URL(import.meta.url).searchParams.get('sockets') ?? 0);

process.once('disconnect', () => {
  process.kill(process.pid, 'SIGTERM');
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), killMs).unref();
});
await new Promise<void>((resolve) => {
  const take = (message: unknown, socket: unknown): void => {
    const address = property(message, 'socket');
    if (typeof address === 'string' && typeof socket === 'object' && socket !== null)
      heldSockets.set(address, socket);
    if (heldSockets.size < expected) return;
    process.off('message', take);
    resolve();
  };
  process.on('message', take);
  if (expected === 0) take(undefined, undefined);
});
process.channel?.unref(); // the program must end when it has nothing left to do

const listen: unknown = Reflect.get(Server.prototype, 'listen');
Server.prototype.listen = function listenAgain(this: Server, ...given: never[]): Server {
  const address = addressOf(given);
  if (address === undefined) return listenWith(this, given);
  this.once('listening', () => {
    process.send?.({ socket: address }, property(this, '_handle') as never); // a handle of Node, which it passes on
    setTimeout(() => heldSockets.clear(), claimMs).unref();
  });
  const socket = heldSockets.get(address);
  if (socket === undefined) return listenWith(this, given);
  heldSockets.delete(address);
  const backlog = Number(property(given[0], 'backlog') ?? 511);
  return listenWith(this, [socket, backlog, ...given.filter((one) => typeof one === 'function')]);
};

function listenWith(server: Server, given: readonly unknown[]): Server {
  if (typeof listen === 'function') Reflect.apply(listen, server, given);
  return server;
}

function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

/** Returns the address of a call of `listen`; undefined if the system chooses the port, or if it is no TCP port. */
function addressOf([first, second]: readonly unknown[]): string | undefined {
  const options = typeof first === 'object' && first !== null ? first : { port: first, host: second };
  const port = Number(property(options, 'port') ?? 0);
  const host = property(options, 'host');
  return port > 0 ? `${typeof host === 'string' ? host : ''}:${port}` : undefined;
}
