/** Numbers that come before those of a record. */
export const headNumbers = 2;

/**
 * Numbers and texts of one record, in the order in which they are written. A text is among the numbers by its length in
 * UTF-16 units, −1 if it is absent.
 */
export class FactWriter {
  numbers: Float64Array = new Float64Array(1024);
  count = 0;
  texts: string[] = [];
  /** UTF-16 units of the texts. */
  units = 0;

  clear(): void {
    this.count = headNumbers;
    this.texts = [];
    this.units = 0;
  }

  number(value: number): void {
    if (this.count === this.numbers.length) {
      const larger = new Float64Array(this.count * 2);
      larger.set(this.numbers);
      this.numbers = larger;
    }
    this.numbers[this.count++] = value;
  }

  text(value: string | undefined): void {
    if (value === undefined) return this.number(-1);
    this.number(value.length);
    if (value === '') return;
    this.texts.push(value);
    this.units += value.length;
  }

  list(texts: readonly string[]): void {
    this.number(texts.length);
    for (let at = 0; at < texts.length; at++) this.text(texts[at]);
  }

  json(value: unknown): void {
    this.text(value === undefined ? undefined : JSON.stringify(value));
  }
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
