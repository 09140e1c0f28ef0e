/** Numbers that come before those of a record. */
export const headNumbers = 2;

/**
 * Takes the numbers and texts of one record, in the order in which they are to be read. A text is among the numbers by its
 * length in UTF-16 units, −1 if it is absent.
 */
export interface FactWriter {
  number(value: number): void;
  text(value: string | undefined): void;
  list(texts: readonly string[]): void;
  json(value: unknown): void;
}

/** Returns what a `FactWriter` took, in the same order. */
export class FactReader {
  readonly #numbers: Float64Array;
  readonly #text: string;
  #at = headNumbers;
  #offset = 0;

  constructor(numbers: Float64Array, text: string) {
    this.#numbers = numbers;
    this.#text = text;
  }

  number(): number {
    const value = this.#numbers[this.#at++];
    if (value === undefined) throw new RangeError('A raw record ends too early.');
    return value;
  }

  text(): string | undefined {
    const length = this.number();
    return length < 0 ? undefined : this.#text.slice(this.#offset, (this.#offset += length));
  }

  list(): string[] {
    return this.many(() => this.text() ?? '');
  }

  json(): unknown {
    const text = this.text();
    return text === undefined ? undefined : JSON.parse(text);
  }

  many<One>(read: () => One): One[] {
    const found: One[] = [];
    for (let left = this.number(); left > 0; left--) found.push(read());
    return found;
  }
}
