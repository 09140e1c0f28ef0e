/** The chunks of a streamed body, whatever it is made of. */
export interface ChunkSource {
  /** The next chunk; undefined at the end. Fails with `HTTP_CHUNK_INVALID` where it is neither text nor bytes. */
  next(): Promise<Uint8Array | string | undefined>;
  /** Nobody wants the rest: the stream is cancelled, and a pending `next` need not end. */
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
