import { AsyncResource } from 'node:async_hooks';
import type { Server } from 'node:net';
import { readSettings } from '../watch/settings.js';
import { type Intercept, interceptEmit } from './intercept-emit.js';

/** What Node's servers of HTTP/1.1 have beyond their documentation. */
type HalfOpenServer = Server & { httpAllowHalfOpen?: boolean };

/**
 * Watches every HTTP server of this process: what `node --import lookback/register` runs. In production nothing is watched
 * unless `LOOKBACK=on`. What records is loaded when the first server listens: the start of an application does not wait for it,
 * and requests that come before it is there are answered as soon as it is.
 */
export function register(): void {
  if (!readSettings({}).enabled) return;
  let watch: Intercept | undefined;
  let isLoading = false;
  const waiting: ((loaded: Intercept) => boolean)[] = [];
  const halfOpen = new Set<HalfOpenServer>();
  const open = (loaded: Intercept): void => {
    // Each in a turn of its own: what a handler throws is an uncaught exception, as it would have been.
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
    if (!isLoading) setImmediate(load, open); // newer Nodes load at once, in the middle of the start
    isLoading = true;
    // A client that ends its side meanwhile still gets its answers: Node gives up requests when it sees that end.
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

/** Debuggers and databases listen as well. The setting is one of HTTP/1.1's servers. */
function answersRequests(server: Server): boolean {
  return 'keepAliveTimeout' in server || server.listenerCount('request') > 0;
}
