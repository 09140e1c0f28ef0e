import type { Writable } from 'node:stream';
import { isPromise } from 'node:util/types';
import { classNameOf } from '#core/dump';
import { type Scope, runInScope } from '#core/scope';
import { httpErrors } from '../failures/error-codes.js';

/** A response's body. Streams are read once and sent with backpressure. */
export type ResponseBody =
  | string
  | Uint8Array
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array | string>
  | null;

export type StreamedBody = Exclude<ResponseBody, string | Uint8Array | null>;

/** Whether a body is produced while it is sent, so that its size is not known in advance. */
export function isStreamedBody(body: ResponseBody): body is StreamedBody {
  return body !== null && typeof body !== 'string' && !(body instanceof Uint8Array);
}

/** Returns a body's size in bytes; 0 for a streamed body. */
export function sizeOfBody(body: ResponseBody): number {
  return typeof body === 'string' || body instanceof Uint8Array ? Buffer.byteLength(body) : 0;
}

/** Throws `HTTP_STATUS_INVALID` if a final response cannot have the status. */
export function assertStatus(status: number): void {
  if (Number.isInteger(status) && status >= 200 && status <= 599) return;
  throw httpErrors.create('HTTP_STATUS_INVALID', { status });
}

/** Throws `HTTP_STATUS_INVALID` or `HTTP_RESPONSE_BODY_INVALID` if a response cannot be sent. */
export function assertResponse(response: { readonly status: number; readonly body: ResponseBody }): void {
  const { status, body } = response;
  if (status !== 101 || !('take' in response)) assertStatus(status); // an `UpgradeResponse` writes its response itself
  if (typeof body === 'string' || body === null || body instanceof Uint8Array) return;
  if (isAsyncIterable(body)) return;
  const given: unknown = body;
  if (isPromise(given)) void given.catch(() => undefined); // the refusal is the error
  throw httpErrors.create('HTTP_RESPONSE_BODY_INVALID', { what: kindOf(body) });
}

/** Whether a streamed body can be read. JavaScript may have set anything as the body. */
export function isAsyncIterable(body: unknown): body is StreamedBody {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}

function kindOf(body: unknown): string {
  if (body === undefined) return 'undefined';
  if (isPromise(body)) return 'a promise (is an await missing?)';
  return typeof body === 'object' && body !== null
    ? `an instance of ${classNameOf(body)}`
    : `a ${typeof body}`;
}

/** Returns true if HTTP allows no body: for responses to HEAD, and for 204, 205 and 304. */
export function isBodiless(method: string, status: number): boolean {
  return method === 'HEAD' || status === 204 || status === 205 || status === 304;
}

/** A reader for all kinds of streamed bodies. */
interface ChunkSource {
  /** Returns the next chunk; undefined at the end. Rejects with `HTTP_CHUNK_INVALID` if it is neither text nor bytes. */
  next(): Promise<Uint8Array | string | undefined>;
  /** Cancels the stream. A pending `next` may never settle. */
  stop(): void;
}

/** A streamed body that has been started, in its request's scope. */
class BegunBody implements AsyncIterable<Uint8Array | string> {
  readonly chunks: ChunkSource;

  constructor(chunks: ChunkSource) {
    this.chunks = chunks;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array | string, void> {
    const { chunks } = this;
    try {
      for (let next = await chunks.next(); next !== undefined; next = await chunks.next()) yield next;
    } finally {
      chunks.stop();
    }
  }
}

/** Creates a streamed body's reader. Throws if the body is already being read. */
export function createChunkSource(body: StreamedBody): ChunkSource {
  if (body instanceof BegunBody) return body.chunks;
  if (body instanceof ReadableStream) {
    const reader = body.getReader();
    return {
      next: async () => {
        const result = await reader.read();
        return result.done ? undefined : checkedChunk(result.value);
      },
      stop: () => void reader.cancel().catch(ignore),
    };
  }
  const iterator = body[Symbol.asyncIterator]();
  return {
    next: async () => {
      const result = await iterator.next();
      return result.done === true ? undefined : checkedChunk(result.value);
    },
    stop: () => void Promise.resolve(iterator.return?.()).catch(ignore),
  };
}

/** Cancels a body that will not be sent, so that its resources are released. Never throws. */
export function stopBody(body: ResponseBody): void {
  if (!isStreamedBody(body)) return;
  try {
    createChunkSource(body).stop();
  } catch {
    // the body is being read elsewhere; that reader ends it
  }
}

function checkedChunk(chunk: unknown): Uint8Array | string {
  if (typeof chunk === 'string' || chunk instanceof Uint8Array) return chunk;
  throw httpErrors.create('HTTP_CHUNK_INVALID', { what: chunk === null ? 'null' : typeof chunk });
}

function ignore(): void {
  // a cancelled stream's errors are irrelevant
}

const headWaitMs = 100;

/**
 * Reads a body before its response is sent, so that a failure of its first chunk within 100 ms can still be answered.
 */
export function beginBody(body: StreamedBody, scope: Scope): Promise<BegunBody> {
  return beginWithStart(body, scope, () => true);
}

/** The body's bytes so far; `isWhole` if there are no more. */
export interface BodyStart {
  readonly bytes: Uint8Array;
  readonly isWhole: boolean;
}

/**
 * Like `beginBody`, but reads chunks until `isEnough` accepts the bytes so far, the body ends, or 100 ms have passed. Then they are
 * sent with the rest.
 */
export async function beginWithStart(
  body: StreamedBody,
  scope: Scope,
  isEnough: (start: BodyStart) => boolean,
): Promise<BegunBody> {
  const source = createChunkSource(body);
  const pull = (): ReturnType<ChunkSource['next']> => runInScope(scope, () => source.next());
  const read: ReturnType<ChunkSource['next']>[] = [];
  const deadline = new Deadline(headWaitMs);
  try {
    const start: Uint8Array[] = [];
    for (let isDone = false; !isDone;) {
      const next = pull();
      read.push(next);
      const chunk = await deadline.orLate(next);
      if (chunk === late) break;
      if (chunk !== undefined) start.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
      const isWhole = chunk === undefined;
      const bytes = start.length === 1 && start[0] !== undefined ? start[0] : Buffer.concat(start);
      isDone = isEnough({ bytes, isWhole }) || isWhole;
    }
  } catch (error) {
    source.stop();
    throw error;
  } finally {
    deadline.end();
  }
  return new BegunBody({ next: () => read.shift() ?? pull(), stop: () => source.stop() });
}

const late = Symbol('late');

/** A time limit shared by several waits. */
class Deadline {
  readonly #late: Promise<typeof late>;
  #timer: NodeJS.Timeout | undefined;

  constructor(milliseconds: number) {
    this.#late = new Promise((resolve) => {
      this.#timer = setTimeout(resolve, milliseconds, late);
    });
  }

  orLate<Value>(wait: Promise<Value>): Promise<Value | typeof late> {
    return Promise.race([wait, this.#late]);
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}

interface PumpOptions {
  /** The declared Content-Length in bytes, if any. */
  readonly declared?: number | undefined;
  /** Called with the number of bytes of each chunk before it is written. */
  readonly onBytes?: (count: number) => void;
}

const clientGone = Symbol('gone');

/**
 * Writes a streamed body with backpressure: the next chunk is pulled only when the client has read enough of the
 * previous ones. Resolves to true at the end of the stream, false if the client disconnects. Rejects with the stream's
 * errors, and with `HTTP_LENGTH_MISMATCH` if its length is not `declared`; surplus bytes are not sent.
 */
export async function pumpBody(
  body: StreamedBody,
  sink: Writable,
  { declared, onBytes }: PumpOptions = {},
): Promise<boolean> {
  const source = createChunkSource(body);
  let total = 0;
  const waiting = new GoneGuard(sink);
  for (;;) {
    const chunk = await waiting.for(source.next());
    if (chunk === clientGone || sink.destroyed) {
      source.stop();
      return false;
    }
    if (chunk === undefined) break;
    const size = typeof chunk === 'string' ? Buffer.byteLength(chunk) : chunk.byteLength;
    total += size;
    if (declared !== undefined && total > declared) {
      source.stop();
      throw mismatch(declared, total);
    }
    if (size === 0) continue; // an empty chunk would end a chunked body
    onBytes?.(size);
    if (!sink.write(chunk)) await waiting.for(drained(sink));
  }
  if (declared !== undefined && total < declared) throw mismatch(declared, total);
  return true;
}

/** Waits for one promise at a time, and stops waiting when the sink closes. */
class GoneGuard {
  #isGone = false;
  #resolvePending: ((gone: typeof clientGone) => void) | undefined;

  constructor(sink: Writable) {
    sink.once('close', () => {
      this.#isGone = true;
      this.#resolvePending?.(clientGone);
    });
  }

  // Not Promise.race with one long-lived promise: each chunk would add another reaction to that promise.
  for<Value>(promise: Promise<Value>): Promise<Value | typeof clientGone> {
    return new Promise((resolve, reject) => {
      this.#resolvePending = resolve;
      promise.then(resolve, reject);
      if (this.#isGone) resolve(clientGone);
    });
  }
}

function drained(sink: Writable): Promise<void> {
  return new Promise((resolve) => sink.once('drain', () => resolve()));
}

function mismatch(declared: number, given: number): Error {
  return httpErrors.create('HTTP_LENGTH_MISMATCH', { declared, given });
}
