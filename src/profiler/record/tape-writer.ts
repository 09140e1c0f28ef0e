import { giveBytes, takeBytes } from './spare-bytes.js';
import { TextTape } from './text-tape.js';

const nothing = Buffer.alloc(0);

/**
 * Numbers and texts written one after the other: numbers as bytes of seven bits each, texts put together to
 * one.
 */
export class TapeWriter {
  #bytes: Buffer;
  #at = 0;
  readonly text: TextTape = new TextTape();

  /** `expected`: bytes there is room for at once; more is made when needed. */
  constructor(expected: number) {
    this.#bytes = takeBytes(expected);
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
    const bytes = this.#bytes;
    let at = this.#at;
    let rest = value >= 0 && value <= Number.MAX_SAFE_INTEGER ? value : 0;
    // Four bytes at a time as long as it is no integer of 32 bits.
    while (rest >= 2_147_483_648) {
      const high = Math.floor(rest / 268_435_456);
      let low = rest - high * 268_435_456;
      for (let count = 0; count < 4; count++) {
        bytes[at++] = (low & 127) | 128;
        low >>>= 7;
      }
      rest = high;
    }
    rest |= 0;
    while (rest > 127) {
      bytes[at++] = (rest & 127) | 128;
      rest >>>= 7;
    }
    bytes[at++] = rest;
    this.#at = at;
  }

  /** The same of the first `count` whole numbers of a list. */
  numbers(values: Float64Array, count: number): void {
    while (this.#at + count * 8 > this.#bytes.length) this.#grow();
    const bytes = this.#bytes;
    let at = this.#at;
    for (let index = 0; index < count; index++) {
      const value = values[index] ?? 0;
      if (!(value >= 0 && value < 2_147_483_648)) {
        this.#at = at;
        this.number(value);
        at = this.#at;
        continue;
      }
      let rest = value | 0;
      while (rest > 127) {
        bytes[at++] = (rest & 127) | 128;
        rest >>>= 7;
      }
      bytes[at++] = rest;
    }
    this.#at = at;
  }

  string(value: string): void {
    this.number(value.length);
    this.text.add(value);
  }

  /** Gives the memory back: nothing may be written or read after this. */
  release(): void {
    giveBytes(this.#bytes);
    this.#bytes = nothing;
    this.#at = 0;
    this.text.release();
  }

  /** Forgets what was written after the lengths given. */
  rewind(byteLength: number, textLength: number): void {
    this.#at = byteLength;
    this.text.rewind(textLength);
  }

  #grow(): void {
    const larger = takeBytes(this.#bytes.length * 2);
    larger.set(this.#bytes);
    giveBytes(this.#bytes);
    this.#bytes = larger;
  }
}
