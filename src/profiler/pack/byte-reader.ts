/** Reads what a `ByteWriter` wrote. Throws a RangeError if the bytes end early or a number is malformed. */
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
      this.#at++; // most numbers are small
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

  /** Skips `count` numbers. */
  skip(count: number): void {
    for (let left = count; left > 0; this.#at++) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined) throw new RangeError('The bytes end early.');
      if (byte < 128) left--;
    }
  }

  /** Reads the number of items that follow. Each takes at least one byte, which bounds the number. */
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
