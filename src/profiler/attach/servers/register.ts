import { AsyncResource } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Server } from 'node:net';
import { whyNotRecorded } from '#profiler/setup';
import {
  type Emission,
  heldChunks,
  type Intercept,
  interceptEmit,
  isIntercepted,
  ownServer,
  report,
} from './intercept-emit.js';

/** Node's HTTP/1.1 server with an undocumented property. */
type HalfOpenServer = Server & { httpAllowHalfOpen?: boolean };

/** An HTTP/1.1 request, or an HTTP/2 request with its stream. */
type HeldRequest = IncomingMessage & { readonly stream?: EventEmitter };

/** Functions that resume held emissions, with the connection or stream of the request, in order of arrival. */
type WaitingEmissions = Map<(loaded: Intercept) => boolean, EventEmitter | undefined>;

const requestStart = 'http.server.request.start';
/** Maximum body bytes kept, the same as in any record. */
const maxHeldBytes = 65_536;
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
  // Bun's servers are not Node's and emit requests with code of their own.
  if (process.versions['bun'] !== undefined) {
    report('not recording: Bun runs this program. Start it with node --import lookback/register.');
    return;
  }
  let watch: Intercept | undefined;
  let isLoading = false;
  const waiting: WaitingEmissions = new Map();
  const halfOpen = new Set<HalfOpenServer>();
  const open = (loaded: Intercept): void => {
    // Each resumes in its own callback, so that a handler error is an uncaught exception, as without the delay.
    for (const begin of waiting.keys()) later(begin, loaded);
    later(() => {
      watch = loaded;
      if (waiting.size > 0) open(loaded);
      for (const held of halfOpen) held.httpAllowHalfOpen = false;
      halfOpen.clear();
    });
  };
  const hold = (emission: Emission): boolean => {
    const { server, event, go } = emission;
    const isListening = event === 'listening';
    if (!isLoading) later(load, open); // newer Node versions would load synchronously, delaying the start
    isLoading = true;
    // By default, Node drops a client's requests when the client ends its side, so they must begin before.
    const held: HalfOpenServer = server;
    if (held.httpAllowHalfOpen === false) {
      halfOpen.add(held);
      held.httpAllowHalfOpen = true;
    }
    holdEmission(isListening ? { ...emission, go: () => true } : emission, waiting);
    return isListening ? go() : true;
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
      if (reason !== '' && isFirstWorker()) report(`not recording: ${reason}; set LOOKBACK=on`);
      return emission.go();
    }, target),
  );
}

/**
 * Holds an emission. If the client disconnects or ends its side, the request is passed on at that moment, unrecorded,
 * before Node ends it, so that the application sees the same as without the delay.
 */
function holdEmission(emission: Emission, waiting: WaitingEmissions): void {
  const [request, response] = emission.args as [HeldRequest?, ServerResponse?]; // 'listening' has no arguments
  const connection: EventEmitter | undefined = request?.stream ?? request?.socket;
  const release = request === undefined ? undefined : keepChunks(request);
  const begin = AsyncResource.bind((loaded: Intercept): boolean => {
    if (!waiting.delete(begin)) return true;
    for (const event of ['aborted', 'timeout', 'close']) connection?.off(event, leave);
    connection?.off('end', end);
    release?.();
    return loaded(emission);
  });
  const leave = (): void => {
    for (const [other, its] of waiting) if (its === connection) other(({ go }) => go()); // pipelined requests in order
  };
  const end = (): void => {
    leave();
    later(() => {
      if (response?.writableFinished !== false) return;
      request?.destroy(Object.assign(new Error('aborted'), { code: 'ECONNRESET' })); // as Node does
      request?.socket.end();
    });
  };
  waiting.set(begin, connection);
  for (const event of ['aborted', 'timeout', 'close']) connection?.prependListener(event, leave);
  if (request?.stream === undefined) connection?.prependListener('end', end);
}

/**
 * Keeps the beginning of a body that arrives while its request is held, for the record. The request receives it as
 * well.
 */
function keepChunks(request: HeldRequest): () => void {
  const chunks: unknown[] = [];
  const push = request.push.bind(request);
  let bytes = 0;
  request.push = (chunk: unknown, ...rest) => {
    if (bytes < maxHeldBytes && (chunk instanceof Uint8Array || typeof chunk === 'string')) {
      bytes += chunk.length;
      chunks.push(chunk);
    }
    return push(chunk, ...rest);
  };
  return () => {
    Reflect.deleteProperty(request, 'push');
    if (chunks.length > 0) Object.assign(request, { [heldChunks]: chunks });
  };
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

/** Returns whether this is the first cluster worker, or none: other workers would repeat the line. */
function isFirstWorker(): boolean {
  const { worker } = process.getBuiltinModule('cluster') as { worker?: { readonly id: number } }; // Node's types describe the ECMAScript module
  return (worker?.id ?? 1) === 1;
}
