import { httpErrors } from '../failures/error-codes.js';
import type { ResponseBody, StreamedBody } from './response-body.js';
import { isStreamedBody } from './response-body.js';

/** The chunks of a streamed body, whatever it is made of. */
export interface ChunkSource {
  /** The next chunk; undefined at the end. Fails with `HTTP_CHUNK_INVALID` where it is neither text nor bytes. */
  next(): Promise<Uint8Array | string | undefined>;
  /** The rest is not needed: the stream is cancelled, and a pending `next` need not end. */
  stop(): void;
}

/** A streamed body that is being produced already, in the scope of its request. */
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

/** A reader of a streamed body. Throws where someone else is reading it. Never fails when it is stopped. */
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

/** Stops a body that will not be sent, so that its sources can be released. Never fails. */
export function stopBody(body: ResponseBody): void {
  if (!isStreamedBody(body)) return;
  try {
    createChunkSource(body).stop();
  } catch {
    // someone else reads it, and will end it
  }
}

function checkedChunk(chunk: unknown): Uint8Array | string {
  if (typeof chunk === 'string' || chunk instanceof Uint8Array) return chunk;
  throw httpErrors.create('HTTP_CHUNK_INVALID', { what: chunk === null ? 'null' : typeof chunk });
}

function ignore(): void {
  // the stream was abandoned: how it ends does not matter
}
