import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Server } from 'node:net';
import { isFirstWorker, whyNotRecorded } from '#profiler/setup';
import { collectFastify, forgetFastify } from '../frameworks/created-fastify.js';
import { HeldEmissions, isHoldable } from './held-emissions.js';
import {
  type Emission,
  type Intercept,
  interceptEmit,
  isIntercepted,
  ownServer,
  report,
} from './intercept-emit.js';

const requestStart = 'http.server.request.start';
/** Marks a process that a copy of lookback watches: with two copies, each request would have two records. */
const isRegistered = Symbol.for('lookback: registered');
/** Captured at the start, because an application's tests may replace the global one. */
const { setImmediate: later } = globalThis;

/**
 * Watches all HTTP servers of this process, for `node --import lookback/register` and `-r lookback/register`. The
 * recording code is loaded when the first server listens, so that it does not delay the application's start; earlier
 * requests are held until it is loaded. If recording is enabled but nothing can be recorded, one line on stderr
 * explains why.
 */
export function register(): void {
  if (whyNotRecorded(process.env) === '') return;
  // Bun's servers are not Node's and emit requests with their own code.
  if (process.versions['bun'] !== undefined) {
    report('not recording: Bun runs this program. Start it with node --import lookback/register.');
    return;
  }
  if (isRegistered in process) return;
  Object.defineProperty(process, isRegistered, { value: true });
  collectFastify();
  let watch: Intercept | undefined;
  let isLoading = false;
  const held = new HeldEmissions();
  const open = (loaded: Intercept): void => held.release(loaded, () => (watch = loaded));
  const hold = (emission: Emission): boolean => {
    const isListening = emission.event === 'listening';
    if (!isLoading) later(load, open); // newer Node versions would load synchronously, delaying the start
    isLoading = true;
    if (!isListening && !isHoldable(emission)) return emission.go();
    held.hold(isListening ? { ...emission, go: () => true } : emission);
    return isListening ? emission.go() : true;
  };
  const seen = warnIfUnseen();
  const undos = [Server.prototype, ...serversWithOwnEmit()].map((target) =>
    interceptEmit((emission) => {
      if (emission.event !== 'listening') seen();
      if (watch !== undefined) return watch(emission);
      if (emission.event === 'listening' && !answersRequests(emission.server)) return emission.go();
      // Read now, because the application may have set variables since the start.
      const reason = isLoading ? undefined : whyNotRecorded(process.env);
      if (reason === undefined) return hold(emission);
      seen();
      for (const undo of undos) undo();
      forgetFastify();
      if (reason !== '' && isFirstWorker()) report(`not recording: ${reason}; set LOOKBACK=on`);
      return emission.go();
    }, target),
  );
}

function load(open: (loaded: Intercept) => void): void {
  import('./watch-process.js')
    .then(({ watchProcess }) => watchProcess())
    .then(open, (error: unknown) => {
      report(`not recording: ${error instanceof Error ? error.message : String(error)}`);
      open(({ go }) => go());
    });
}

/**
 * Returns whether this is an HTTP server; debuggers and databases listen as well. Only HTTP/1.1 servers have
 * `keepAliveTimeout`.
 */
function answersRequests(server: Server): boolean {
  return 'keepAliveTimeout' in server || server.listenerCount('request') > 0;
}

/**
 * Returns the HTTP server classes whose `emit` an agent has replaced. Loads none: an unloaded class cannot have been
 * changed.
 */
function serversWithOwnEmit(): readonly Server[] {
  const { moduleLoadList = [] } = process as { moduleLoadList?: readonly string[] }; // missing in Node's types
  return ['http', 'https'].flatMap((name) => {
    if (!moduleLoadList.includes(`NativeModule ${name}`)) return [];
    const { Server: HttpServer } = process.getBuiltinModule(name) as { Server: typeof Server }; // both modules have one
    const { prototype } = HttpServer;
    return Object.hasOwn(prototype, 'emit') ? [prototype] : [];
  });
}

/**
 * Reports once if a server receives a request without emitting it where it is watched. The returned function ends the
 * check.
 */
function warnIfUnseen(): () => void {
  const check = (message: unknown): void => {
    const { server } = message as { server: Server }; // as Node publishes it
    if (ownServer in server || isIntercepted(server)) return; // intercepted means that the program attaches the profiler itself
    later(() => {
      if (isOver) return;
      end();
      report(
        'not recording: another package has replaced how this server emits requests. Load lookback before it: --import lookback/register first.',
      );
    });
  };
  let isOver = false;
  const end = (): void => {
    if (isOver) return;
    isOver = true;
    unsubscribe(requestStart, check);
  };
  subscribe(requestStart, check);
  return end;
}
