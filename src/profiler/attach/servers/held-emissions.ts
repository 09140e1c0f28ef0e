import { AsyncResource } from 'node:async_hooks';
import type { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server } from 'node:net';
import { type Emission, heldChunks, type Intercept } from './intercept-emit.js';

/** Node's HTTP/1.1 server with an undocumented property. */
type HalfOpenServer = Server & { httpAllowHalfOpen?: boolean };

/** An HTTP/1.1 request, or an HTTP/2 request with its stream. */
type HeldRequest = IncomingMessage & { readonly stream?: EventEmitter };

/** Maximum body bytes kept, the same as in any record. */
const maxHeldBytes = 65_536;
/** Captured at the start, because an application's tests may replace the global one. */
const { setImmediate: later } = globalThis;

/**
 * Returns whether a request can be held. A test may emit one of its own without a connection, and expect the answer at
 * once.
 */
export function isHoldable({ args: [request] }: Emission): boolean {
  if (typeof request !== 'object' || request === null) return false;
  const { push, stream, socket } = request as Partial<HeldRequest>; // if it is of a server
  const connection: Partial<EventEmitter> | null | undefined = stream ?? socket;
  return typeof push === 'function' && typeof connection?.prependListener === 'function';
}

/** Requests that arrive before the profiler can record them, in order of arrival. */
export class HeldEmissions {
  /** Functions that resume held emissions, with the connection or stream of the request. */
  readonly #waiting = new Map<(watch: Intercept) => boolean, EventEmitter | undefined>();
  readonly #halfOpen = new Set<HalfOpenServer>();

  /**
   * Holds an emission. If the client disconnects or ends its side, the request is passed on at that moment, unrecorded,
   * before Node ends it, so that the application sees the same as without the delay.
   */
  hold(emission: Emission): void {
    this.#keepHalfOpen(emission.server);
    const [request, response] = emission.args as [HeldRequest?, ServerResponse?]; // 'listening' has no arguments
    const connection: EventEmitter | undefined = request?.stream ?? request?.socket;
    const release = request === undefined ? undefined : keepChunks(request);
    const begin = AsyncResource.bind((watch: Intercept): boolean => {
      if (!this.#waiting.delete(begin)) return true;
      for (const event of ['aborted', 'timeout', 'close']) connection?.off(event, leave);
      connection?.off('end', end);
      release?.();
      return watch(emission);
    });
    const leave = (): void => {
      // Pipelined requests in order.
      for (const [other, its] of this.#waiting) if (its === connection) other(({ go }) => go());
    };
    const end = (): void => {
      leave();
      later(() => {
        if (response?.writableFinished !== false) return;
        request?.destroy(Object.assign(new Error('aborted'), { code: 'ECONNRESET' })); // as Node does
        request?.socket.end();
      });
    };
    this.#waiting.set(begin, connection);
    for (const event of ['aborted', 'timeout', 'close']) connection?.prependListener(event, leave);
    if (request?.stream === undefined) connection?.prependListener('end', end);
  }

  /** Passes the emissions to `watch`, including any that arrive meanwhile. Calls `done` when none is left. */
  release(watch: Intercept, done: () => void): void {
    // Each resumes in its own callback, so that a handler error is an uncaught exception, as without the delay.
    for (const begin of this.#waiting.keys()) later(begin, watch);
    later(() => {
      done();
      if (this.#waiting.size > 0) this.release(watch, done);
      for (const server of this.#halfOpen) server.httpAllowHalfOpen = false;
      this.#halfOpen.clear();
    });
  }

  /** By default, Node drops a client's requests when the client ends its side, so they must begin before. */
  #keepHalfOpen(server: HalfOpenServer): void {
    if (server.httpAllowHalfOpen !== false) return;
    this.#halfOpen.add(server);
    server.httpAllowHalfOpen = true;
  }
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
