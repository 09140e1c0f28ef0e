/** Growing buffer to which numbers and texts are written. */
export class ByteWriter {
  #bytes: Buffer;
  #length = 0;

  constructor(expected: number) {
    this.#bytes = Buffer.allocUnsafeSlow(expected);
  }

  get length(): number {
    return this.#length;
  }

  /** The bytes written so far; shares memory with the writer. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Writes an integer from 0 to 2^53 − 1 as LEB128 (7 bits per byte, lowest first). Anything else is written as 0. */
  number(value: number): void {
    if (this.#length + 8 > this.#bytes.length) this.#grow(8);
    const bytes = this.#bytes;
    let rest = value >= 0 && value <= Number.MAX_SAFE_INTEGER ? value : 0;
    // Bitwise operators work on 32 bits only.
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

  /** Writes an IEEE 754 double in eight bytes, little-endian. */
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
   * Writes a text as UTF-8, or as UTF-16 if it contains a lone surrogate, which UTF-8 cannot encode. Returns its size code:
   * twice the number of bytes, plus 1 for UTF-16; see `decodeText`.
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

  /** Discards everything after the first `length` bytes. */
  rewind(length: number): void {
    this.#length = Math.min(this.#length, length);
  }

  #grow(room: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, this.#length + room));
    larger.set(this.bytes);
    this.#bytes = larger;
  }
}

/** Returns whether UTF-8 can encode the text. */
function isWellFormed(text: string): boolean {
  return (text as string & { isWellFormed(): boolean }).isWellFormed(); // available in every supported Node, but not in the type library
}
