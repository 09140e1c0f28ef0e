import { TapeWriter } from './tape-writer.js';

const longestWord = 20_000;
const mostWords = 4000;
/** Bytes there is room for at once: what the words of a full segment mostly need. */
const expectedBytes = 1024;

/** Codes in front of a word; higher ones count from the first word of the table. */
export const wordCode = { none: 0, inline: 1, first: 2 } as const;

/** Texts that are likely to come again (names, routes, levels), each of which stands once. */
export class WordTable {
  readonly tape: TapeWriter = new TapeWriter(expectedBytes);
  readonly #numbers = new Map<string, number>();

  get size(): number {
    return this.#numbers.size;
  }

  /** −1 where the word is too long or the table is full. */
  numberOf(value: string): number {
    const known = this.#numbers.get(value);
    if (known !== undefined) return known;
    const number = this.#numbers.size;
    if (value.length > longestWord || number >= mostWords) return -1;
    this.#numbers.set(value, number);
    this.tape.string(value);
    return number;
  }
}

/** Writes to a tape, and names words by their number in a table. */
export class WordWriter {
  readonly tape: TapeWriter;
  readonly words: WordTable;

  constructor(words: WordTable, tape: TapeWriter) {
    this.words = words;
    this.tape = tape;
  }

  number(value: number): void {
    this.tape.number(value);
  }

  string(value: string): void {
    this.tape.string(value);
  }

  /** A text that is likely to come again. */
  word(value: string | null): void {
    if (value === null) return this.tape.number(wordCode.none);
    const known = this.words.numberOf(value);
    if (known >= 0) return this.tape.number(known + wordCode.first);
    this.tape.number(wordCode.inline);
    this.tape.string(value);
  }
}
