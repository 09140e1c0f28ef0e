import { TextTape } from './text-tape.js';

/**
 * Numbers and texts written one after the other: numbers as bytes of seven bits each, texts put together to
 * one.
 */
export class TapeWriter {
  #bytes: Uint8Array;
  #at = 0;
  readonly text: TextTape = new TextTape();

  /** `expected`: bytes there is room for at once; more is made when needed. */
  constructor(expected: number) {
    this.#bytes = new Uint8Array(expected);
  }

  get byteLength(): number {
    return this.#at;
  }

  get textLength(): number {
    return this.text.length;
  }

  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#at);
  }

  /** A whole number from 0 to 2^53 − 1; what is none is written as 0. */
  number(value: number): void {
    if (this.#at + 8 > this.#bytes.length) this.#grow();
    // Most are small: names by their number, microseconds.
    if (value >= 0 && value < 128) {
      this.#bytes[this.#at++] = value;
      return;
    }
    let rest = value;
    if (!(rest >= 0)) rest = 0;
    while (rest >= 2_147_483_648) {
      this.#bytes[this.#at++] = (rest % 128) | 128;
      rest = Math.floor(rest / 128);
    }
    rest |= 0;
    while (rest > 127) {
      this.#bytes[this.#at++] = (rest & 127) | 128;
      rest >>>= 7;
    }
    this.#bytes[this.#at++] = rest;
  }

  string(value: string): void {
    this.number(value.length);
    this.text.add(value);
  }

  /** Forgets what was written after the lengths given. */
  rewind(byteLength: number, textLength: number): void {
    this.#at = byteLength;
    this.text.rewind(textLength);
  }

  #grow(): void {
    const larger = new Uint8Array(Math.max(64, this.#bytes.length * 2));
    larger.set(this.#bytes);
    this.#bytes = larger;
  }
}
