/** Reads what a `TapeWriter` wrote. Throws a RangeError at the end of either tape. */
export class TapeReader {
  readonly #bytes: Uint8Array;
  readonly #text: string;
  #at: number;
  #textAt: number;

  constructor(bytes: Uint8Array, text: string, at = 0, textAt = 0) {
    this.#bytes = bytes;
    this.#text = text;
    this.#at = at;
    this.#textAt = textAt;
  }

  get position(): number {
    return this.#at;
  }

  number(): number {
    let value = 0;
    let scale = 1;
    for (let count = 0; count < 8; count++) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new RangeError('The record ends early.');
      value += (byte & 127) * scale;
      if (byte < 128) return value;
      scale *= 128;
    }
    throw new RangeError('A number in the record is too long.');
  }

  /** The length stands in front of a text; give it where it has been read already. */
  string(length: number = this.number()): string {
    const end = this.#textAt + length;
    if (end > this.#text.length) throw new RangeError('The text of the record ends early.');
    const value = this.#text.slice(this.#textAt, end);
    this.#textAt = end;
    return value;
  }
}
