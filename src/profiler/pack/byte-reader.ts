/** Reads what a `ByteWriter` wrote. Throws a RangeError where the bytes end early or hold no number. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  number(): number {
    const first = this.#bytes[this.#at];
    if (first !== undefined && first < 128) {
      this.#at++; // most are small
      return first;
    }
    let value = 0;
    let scale = 1;
    for (let count = 0; count < 8; count++) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new RangeError('The bytes end early.');
      value += (byte & 127) * scale;
      if (byte < 128) return value;
      scale *= 128;
    }
    throw new RangeError('A number is too long.');
  }

  /** Passes over so many numbers. */
  skip(count: number): void {
    for (let left = count; left > 0; this.#at++) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined) throw new RangeError('The bytes end early.');
      if (byte < 128) left--;
    }
  }

  /** A number of things that follow, each of which takes a byte at least. */
  count(): number {
    const count = this.number();
    if (count > this.left) throw new RangeError('More is announced than there is.');
    return count;
  }

  double(): number {
    const { buffer, byteOffset } = this.take(8);
    return new DataView(buffer, byteOffset, 8).getFloat64(0, true);
  }

  take(length: number): Uint8Array {
    if (length > this.left) throw new RangeError('The bytes end early.');
    return this.#bytes.subarray(this.#at, (this.#at += length));
  }
}
