import type { ResponseBody } from '../http-response.js';

/** The chunks of a streamed body, whatever it is made of. */
export interface ChunkSource {
  /** The next chunk; undefined at the end. */
  next(): Promise<Uint8Array | string | undefined>;
  /** Nobody wants the rest: the stream is cancelled, and a pending `next` need not end. */
  stop(): void;
}

/** A reader of a streamed body. Never fails when it is stopped. */
export function createChunkSource(body: Exclude<ResponseBody, string | Uint8Array | null>): ChunkSource {
  if (body instanceof ReadableStream) {
    const reader = body.getReader();
    return {
      next: async () => {
        const { value } = await reader.read();
        return value;
      },
      stop: () => void reader.cancel().catch(ignore),
    };
  }
  const iterator = body[Symbol.asyncIterator]();
  return {
    next: async () => {
      const result = await iterator.next();
      return result.done === true ? undefined : result.value;
    },
    stop: () => void Promise.resolve(iterator.return?.()).catch(ignore),
  };
}

function ignore(): void {
  // the stream was given up: how it ends is nobody's concern
}
