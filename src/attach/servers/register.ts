import { AsyncResource } from 'node:async_hooks';
import type { Server } from 'node:net';
import { readSettings } from '../watch/settings.js';
import { type Intercept, interceptEmit } from './intercept-emit.js';

/** Node's HTTP/1.1 servers, with an undocumented property. */
type HalfOpenServer = Server & { httpAllowHalfOpen?: boolean };

/**
 * Watches all HTTP servers of this process, for `node --import lookback/register`. In production, nothing is watched
 * unless `LOOKBACK=on`. The recording code is loaded when the first server listens, so that it does not delay the start
 * of the application; requests that arrive before are held until it is loaded.
 */
export function register(): void {
  if (!readSettings({}).enabled) return;
  let watch: Intercept | undefined;
  let isLoading = false;
  const waiting: ((loaded: Intercept) => boolean)[] = [];
  const halfOpen = new Set<HalfOpenServer>();
  const open = (loaded: Intercept): void => {
    // Each in its own callback: an error of a handler is an uncaught exception, as without the delay.
    for (const begin of waiting.splice(0)) setImmediate(begin, loaded);
    setImmediate(() => {
      watch = loaded;
      if (waiting.length > 0) open(loaded);
      for (const held of halfOpen) held.httpAllowHalfOpen = false;
      halfOpen.clear();
    });
  };
  interceptEmit((emission) => {
    if (watch !== undefined) return watch(emission);
    const { server, event, go } = emission;
    const isListening = event === 'listening';
    if (isListening && !answersRequests(server)) return go();
    if (!isLoading) setImmediate(load, open); // newer Node versions would load synchronously, during the start
    isLoading = true;
    // A client that closes its side in the meantime still gets its answers: by default, Node drops its requests.
    const held: HalfOpenServer = server;
    if (held.httpAllowHalfOpen === false) {
      halfOpen.add(held);
      held.httpAllowHalfOpen = true;
    }
    waiting.push(
      AsyncResource.bind((loaded) => loaded(isListening ? { ...emission, go: () => true } : emission)),
    );
    return isListening ? go() : true;
  });
}

function load(open: (loaded: Intercept) => void): void {
  import('./watch-process.js')
    .then(({ watchProcess }) => watchProcess())
    .then(open, (error: unknown) => {
      process.stderr.write(`lookback: Nothing is recorded: ${String(error)}\n`);
      open(({ go }) => go());
    });
}

/** Whether it is an HTTP server: debuggers and databases listen as well. Only HTTP/1.1 servers have `keepAliveTimeout`. */
function answersRequests(server: Server): boolean {
  return 'keepAliveTimeout' in server || server.listenerCount('request') > 0;
}
