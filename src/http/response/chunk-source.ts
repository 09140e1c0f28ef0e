import { httpErrors } from '../failures/error-codes.js';
import type { ResponseBody, StreamedBody } from './response-body.js';
import { isStreamedBody } from './response-body.js';

/** A reader for all kinds of streamed bodies. */
export interface ChunkSource {
  /** Returns the next chunk; undefined at the end. Rejects with `HTTP_CHUNK_INVALID` if it is neither text nor bytes. */
  next(): Promise<Uint8Array | string | undefined>;
  /** Cancels the stream. A pending `next` may never settle. */
  stop(): void;
}

/** A streamed body that has been started, in the scope of its request. */
export class BegunBody implements AsyncIterable<Uint8Array | string> {
  readonly chunks: ChunkSource;

  constructor(chunks: ChunkSource) {
    this.chunks = chunks;
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array | string> {
    const { chunks } = this;
    return {
      async next() {
        const value = await chunks.next();
        return value === undefined ? { done: true, value } : { done: false, value };
      },
      return() {
        chunks.stop();
        return Promise.resolve({ done: true, value: undefined });
      },
    };
  }
}

/** Creates the reader of a streamed body. Throws if the body is already being read. */
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
  // errors of a cancelled stream are irrelevant
}
