import type { ChunkSource } from './begun-body.js';
import { BegunBody } from './begun-body.js';
import { httpErrors } from '../failures/error-codes.js';
import type { ResponseBody, StreamedBody } from './response-body.js';
import { isStreamedBody } from './response-body.js';

/** A reader of a streamed body. Throws where somebody else is reading it. Never fails when it is stopped. */
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

/** Gives up a body that will not be sent, so that what it is made of can be released. Never fails. */
export function stopBody(body: ResponseBody): void {
  if (!isStreamedBody(body)) return;
  try {
    createChunkSource(body).stop();
  } catch {
    // somebody else reads it, and will end it
  }
}

function checkedChunk(chunk: unknown): Uint8Array | string {
  if (typeof chunk === 'string' || chunk instanceof Uint8Array) return chunk;
  throw httpErrors.create('HTTP_CHUNK_INVALID', { what: chunk === null ? 'null' : typeof chunk });
}

function ignore(): void {
  // the stream was given up: how it ends is nobody's concern
}
