export class BodyHead {
  readonly #limit: number;
  readonly #chunks: (Uint8Array | string)[] = [];
  #kept = 0;
  /** Total number of body bytes so far. */
  bytes = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(chunk: Uint8Array | string): void {
    const room = this.#limit - this.#kept;
    const size = typeof chunk === 'string' ? Buffer.byteLength(chunk) : chunk.byteLength;
    this.bytes += size;
    if (room <= 0) return;
    this.#kept += size;
    // Copied, because the chunk may be part of a larger buffer, which would be retained, or reused by its owner.
    this.#chunks.push(
      typeof chunk === 'string' ? chunk.slice(0, room) : Uint8Array.from(chunk.subarray(0, room)),
    );
  }

  content(): Uint8Array | string {
    const texts = this.#chunks.filter((chunk) => typeof chunk === 'string');
    if (texts.length === this.#chunks.length) return texts.join('');
    return Buffer.concat(
      this.#chunks.map((chunk) => (typeof chunk === 'string' ? Buffer.from(chunk) : chunk)),
    );
  }
}
