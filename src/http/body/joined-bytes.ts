/**
 * Chunks in a row. They are copied together as they come: a body that is sent byte by byte in a million chunks takes
 * no more memory than its bytes. A single chunk is kept as it is.
 */
export class JoinedBytes {
  #held: Uint8Array = new Uint8Array(0);
  #length = 0;

  add(chunk: Uint8Array): void {
    const length = this.#length + chunk.byteLength;
    if (this.#length === 0) this.#held = chunk;
    else {
      // The first chunk is somebody else's, and as long as itself: it is never written to.
      if (length > this.#held.byteLength) this.#grow(Math.max(length, this.#length * 2, 1024));
      this.#held.set(chunk, this.#length);
    }
    this.#length = length;
  }

  get bytes(): Uint8Array {
    return this.#held.subarray(0, this.#length);
  }

  #grow(capacity: number): void {
    const larger = Buffer.allocUnsafeSlow(capacity);
    larger.set(this.#held.subarray(0, this.#length));
    this.#held = larger;
  }
}
