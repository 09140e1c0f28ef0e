import { type ChildProcess, spawn } from 'node:child_process';
import type { Server } from 'node:net';

export interface DevProcessOptions {
  readonly entry: string;
  /** Module to load before the entry, if the entry needs it. */
  readonly loader: string | undefined;
  /** Called with how the program ended, unless this process stopped it. */
  readonly onEnd: (end: string) => void;
}

/** A program that can be restarted. */
export interface DevProcess {
  /** Ends the program if it runs, and starts it. Further calls in the meantime cause one more restart. */
  restart(): void;
  /** Ends the program with a signal; resolves when it has exited. */
  stop(signal: NodeJS.Signals): Promise<void>;
}

/** A listening socket of the program, by which this process keeps connections waiting during a restart. */
interface HeldSocket {
  readonly handle: Server;
  readonly holder: ChildProcess;
}

/** Milliseconds that the program has for ending before it is killed. */
const stopTimeoutMs = 6000;
/** Milliseconds after its first socket, in which a program listens on the others. */
const claimMs = 1000;

export function createDevProcess(options: DevProcessOptions): DevProcess {
  const sockets = new Map<string, HeldSocket>();
  let running: ChildProcess | undefined;
  let restarting = false;
  let again = false;
  let stopped = false;
  const start = (): void => {
    const child = (running = spawnProgram(options, sockets.size));
    passSockets(child, sockets);
    const onEnd = (end: string): void => {
      if (child !== running || restarting || stopped) return;
      closeSockets(sockets, () => true); // what failed must be seen, not waited for
      options.onEnd(end);
    };
    child.once('error', (error) => onEnd(error.message));
    child.once('exit', (code, signal) => onEnd(signal ?? `exit code ${code}`));
  };
  const restart = async (): Promise<void> => {
    if (restarting) {
      again = true;
      return;
    }
    restarting = true;
    do {
      again = false;
      await end(running, 'SIGTERM');
    } while (again);
    restarting = false;
    if (!stopped) start();
  };
  return {
    restart: () => void restart(),
    async stop(signal) {
      stopped = true;
      closeSockets(sockets, () => true);
      await end(running, signal);
    },
  };
}

function spawnProgram({ entry, loader }: DevProcessOptions, sockets: number): ChildProcess {
  const own = new URL(`./dev-child.js?sockets=${sockets}`, import.meta.url).href;
  const imports = [own, ...(loader === undefined ? [] : [loader])].flatMap((one) => ['--import', one]);
  return spawn(
    process.execPath,
    ['--enable-source-maps', '--disable-warning=ExperimentalWarning', ...imports, entry],
    {
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
      env: { ...process.env, ACCESS_LOG: process.env['ACCESS_LOG'] ?? 'dev' },
    },
  );
}

/** Passes the sockets of the previous run to a program, and keeps those that it listens on. */
function passSockets(child: ChildProcess, sockets: Map<string, HeldSocket>): void {
  // If the program has already ended, its exit is reported.
  for (const [socket, { handle }] of sockets) child.send({ socket }, handle, () => undefined);
  child.on('message', (message, handle) => {
    const { socket } = Object(message) as { readonly socket?: unknown }; // sent by dev-child.ts, or by the program
    if (typeof socket !== 'string' || handle === undefined) return;
    sockets.get(socket)?.handle.close();
    sockets.set(socket, { handle: handle as Server, holder: child }); // Node's own handle, closed and passed on like one
    setTimeout(() => closeSockets(sockets, ({ holder }) => holder !== child), claimMs).unref();
  });
}

function closeSockets(sockets: Map<string, HeldSocket>, isClosed: (socket: HeldSocket) => boolean): void {
  for (const [address, socket] of sockets)
    if (isClosed(socket)) {
      sockets.delete(address);
      socket.handle.close();
    }
}

async function end(child: ChildProcess | undefined, signal: NodeJS.Signals): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null || child.pid === undefined)
    return;
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
  child.kill(signal);
  await gone;
  clearTimeout(timer);
}
