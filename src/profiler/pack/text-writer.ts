/** Up to this length a text is written character by character: a call into the engine costs more. */
const short = 48;

/**
 * Texts one after the other as bytes: in UTF-8, or all of them in UTF-16 once half of a surrogate pair stands alone in
 * one, which UTF-8 cannot hold.
 */
export class TextWriter {
  #bytes: Buffer = Buffer.allocUnsafeSlow(4096);
  #length = 0;
  #isWide = false;

  /** Bytes so far. */
  get length(): number {
    return this.#length;
  }

  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Twice the bytes, and one more where they are UTF-16: see `decodeText`. */
  get size(): number {
    return this.#length * 2 + (this.#isWide ? 1 : 0);
  }

  add(text: string): void {
    const room = text.length * 3;
    if (this.#length + room > this.#bytes.length) this.#grow(room);
    if (this.#isWide) this.#length += this.#bytes.write(text, this.#length, 'utf16le');
    else if (text.length > short || !this.#addShort(text)) this.#addLong(text);
  }

  /** Forgets what was added after so many bytes. */
  rewind(length: number): void {
    this.#length = Math.min(this.#length, length);
    if (this.#length === 0) this.#isWide = false;
  }

  /** False, with nothing added, where a character is not ASCII. */
  #addShort(text: string): boolean {
    const bytes = this.#bytes;
    const start = this.#length;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code > 127) return false;
      bytes[start + at] = code;
    }
    this.#length = start + text.length;
    return true;
  }

  #addLong(text: string): void {
    const written = this.#bytes.write(text, this.#length, 'utf8');
    if (written === text.length || isWellFormed(text)) this.#length += written;
    else this.#widen(text);
  }

  #widen(text: string): void {
    const whole = this.#bytes.toString('utf8', 0, this.#length) + text;
    this.#isWide = true;
    this.#length = 0;
    this.add(whole);
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

/** The text of a size that a `TextWriter` gave. */
export function decodeText(bytes: Uint8Array, size: number): string {
  const { buffer, byteOffset, byteLength } = bytes;
  return Buffer.from(buffer, byteOffset, byteLength).toString(size % 2 === 1 ? 'utf16le' : 'utf8');
}

/** Bytes of a text of this size. */
export function byteSize(size: number): number {
  return Math.floor(size / 2);
}
