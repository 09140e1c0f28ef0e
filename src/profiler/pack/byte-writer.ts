/** Bytes that grow as numbers are written to them. */
export class ByteWriter {
  #bytes: Buffer;
  #length = 0;

  constructor(expected: number) {
    this.#bytes = Buffer.allocUnsafeSlow(expected);
  }

  get length(): number {
    return this.#length;
  }

  /** What was written; shares memory with the writer. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** A whole number from 0 to 2^53 − 1, seven bits a byte, the lowest first. Anything else is written as 0. */
  number(value: number): void {
    if (this.#length + 8 > this.#bytes.length) this.#grow(8);
    const bytes = this.#bytes;
    let rest = value >= 0 && value <= Number.MAX_SAFE_INTEGER ? value : 0;
    // Beyond 31 bits shifting would lose what is above.
    while (rest >= 2_147_483_648) {
      bytes[this.#length++] = (rest % 128) | 128;
      rest = Math.floor(rest / 128);
    }
    rest |= 0;
    while (rest > 127) {
      bytes[this.#length++] = (rest & 127) | 128;
      rest >>>= 7;
    }
    bytes[this.#length++] = rest;
  }

  /** IEEE 754, eight bytes. */
  double(value: number): void {
    if (this.#length + 8 > this.#bytes.length) this.#grow(8);
    this.#length = this.#bytes.writeDoubleLE(value, this.#length);
  }

  append(bytes: Uint8Array): void {
    if (this.#length + bytes.length > this.#bytes.length) this.#grow(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /**
   * A text as UTF-8, or as UTF-16 where half of a surrogate pair stands alone in it, which UTF-8 cannot hold. Gives its
   * size: twice the bytes, and one more where they are UTF-16; see `decodeText`.
   */
  text(text: string): number {
    const room = text.length * 3;
    if (this.#length + room > this.#bytes.length) this.#grow(room);
    let written = this.#bytes.write(text, this.#length, 'utf8');
    const isWide = written !== text.length && !isWellFormed(text);
    if (isWide) written = this.#bytes.write(text, this.#length, 'utf16le');
    this.#length += written;
    return written * 2 + (isWide ? 1 : 0);
  }

  /** Forgets what was written after so many bytes. */
  rewind(length: number): void {
    this.#length = Math.min(this.#length, length);
  }

  #grow(room: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, this.#length + room));
    larger.set(this.bytes);
    this.#bytes = larger;
  }
}

/** Whether UTF-8 can hold the text. */
function isWellFormed(text: string): boolean {
  return (text as string & { isWellFormed(): boolean }).isWellFormed(); // in every supported Node, not yet in the library's types
}
