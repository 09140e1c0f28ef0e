import type { TapeReader } from './tape-reader.js';
import { wordCode } from './word-writer.js';

/** Reads what a `WordWriter` wrote. Throws a RangeError where it is damaged. */
export class WordReader {
  readonly words: readonly string[];
  protected tape: TapeReader;

  constructor(words: readonly string[], tape: TapeReader) {
    this.words = words;
    this.tape = tape;
  }

  number(): number {
    return this.tape.number();
  }

  /** The length stands in front of a text; give it where it has been read already. */
  string(length?: number): string {
    return this.tape.string(length);
  }

  word(): string | null {
    const code = this.tape.number();
    if (code === wordCode.none) return null;
    if (code === wordCode.inline) return this.tape.string();
    return this.wordAt(code - wordCode.first);
  }

  wordAt(number: number): string {
    const word = this.words[number];
    if (word === undefined) throw new RangeError('A word of the record is missing.');
    return word;
  }
}
