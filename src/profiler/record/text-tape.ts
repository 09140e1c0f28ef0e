import { isAscii } from 'node:buffer';
import { giveBytes, takeBytes } from './spare-bytes.js';

/** Up to this length a text is written character by character: a call into the engine costs more. */
const short = 64;
const roomAtFirst = 2048;
const nothing = Buffer.alloc(0);

/**
 * Texts put together to one. As long as all of it is ASCII, which is what most records hold, it is kept as the bytes
 * that it is in UTF-8; with the first other character it goes on as a string.
 */
export class TextTape {
  #bytes: Buffer = takeBytes(roomAtFirst);
  /** Characters that are in the bytes. */
  #at = 0;
  /** The whole text, once it is no longer kept as bytes. */
  #text: string | undefined;

  get length(): number {
    return this.#text === undefined ? this.#at : this.#text.length;
  }

  /** The whole as a string. */
  get text(): string {
    return this.#text ?? this.#bytes.toString('latin1', 0, this.#at);
  }

  /** The whole as bytes, where it is ASCII. */
  get ascii(): Uint8Array | undefined {
    return this.#text === undefined ? this.#bytes.subarray(0, this.#at) : undefined;
  }

  add(value: string): void {
    if (this.#text === undefined) {
      if (this.#addBytes(value)) return;
      this.#text = this.#bytes.toString('latin1', 0, this.#at);
    }
    this.#text += value;
  }

  /** Gives the memory back: nothing may be added or read after this. */
  release(): void {
    giveBytes(this.#bytes);
    this.#bytes = nothing;
    this.#at = 0;
  }

  /** Forgets what was added after so many characters. */
  rewind(length: number): void {
    if (this.#text === undefined) this.#at = Math.min(this.#at, length);
    else if (this.#text.length > length) this.#text = this.#text.slice(0, length);
  }

  /** False, with nothing added, where a character is not ASCII. */
  #addBytes(value: string): boolean {
    const { length } = value;
    const start = this.#at;
    // Where a character has more than a byte, fewer fit: the comparison below tells that as well.
    if (start + length > this.#bytes.length) this.#grow(start + length);
    const bytes = this.#bytes;
    if (length > short) {
      if (
        bytes.write(value, start, length, 'utf8') !== length ||
        !isAscii(bytes.subarray(start, start + length))
      )
        return false;
      this.#at = start + length;
      return true;
    }
    for (let at = 0; at < length; at++) {
      const code = value.charCodeAt(at);
      if (code > 127) return false;
      bytes[start + at] = code;
    }
    this.#at = start + length;
    return true;
  }

  #grow(needed: number): void {
    const larger = takeBytes(Math.max(needed, this.#bytes.length * 2));
    larger.set(this.#bytes);
    giveBytes(this.#bytes);
    this.#bytes = larger;
  }
}
