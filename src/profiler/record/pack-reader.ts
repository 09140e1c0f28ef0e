import { wordCode } from './pack-writer.js';
import { TapeReader } from './tape-reader.js';

/** Reads what a `PackWriter` sealed. Throws a RangeError where the bytes are not of that form. */
export class PackReader {
  readonly words: string[] = [];
  readonly lists: number[][] = [];
  readonly #starts: number[] = [];
  readonly #records: Uint8Array;
  readonly #text: string;
  #tape: TapeReader;

  constructor(bytes: Uint8Array) {
    const head = new TapeReader(bytes, '');
    const wide = head.number() === 1;
    const [words, lists, records, tableText, recordBytes] = [0, 0, 0, 0, 0].map(() => head.number());
    if (words === undefined || lists === undefined || records === undefined) throw new RangeError('Empty.');
    const most = bytes.byteLength;
    if (words > most || lists > most || records > most) throw new RangeError('The record is damaged.');
    for (let index = 0; index < records * 2; index++) {
      this.#starts.push(head.number() + (this.#starts[index - 2] ?? 0));
    }
    const lengths = Array.from({ length: words }, () => head.number());
    for (let count = 0; count < lists; count++) {
      const length = head.number();
      if (length > most) throw new RangeError('The record is damaged.');
      this.lists.push(Array.from({ length }, () => head.number()));
    }
    const recordsAt = head.position;
    const textAt = recordsAt + (recordBytes ?? 0);
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const text = buffer.toString(wide ? 'utf16le' : 'utf8', textAt);
    let at = 0;
    for (const length of lengths) this.words.push(text.slice(at, (at += length)));
    this.#records = bytes.subarray(recordsAt, textAt);
    this.#text = text.slice(tableText ?? 0);
    this.#tape = new TapeReader(this.#records, this.#text);
  }

  get count(): number {
    return this.#starts.length / 2;
  }

  /** Goes to the beginning of a record. */
  open(index: number): void {
    const start = this.#starts[index * 2];
    if (start === undefined) throw new RangeError(`There is no record ${index} in the segment.`);
    this.#tape = new TapeReader(this.#records, this.#text, start, this.#starts[index * 2 + 1]);
  }

  number(): number {
    return this.#tape.number();
  }

  string(length?: number): string {
    return this.#tape.string(length);
  }

  word(): string | null {
    const code = this.#tape.number();
    if (code === wordCode.none) return null;
    if (code === wordCode.inline) return this.#tape.string();
    return this.wordAt(code - wordCode.first);
  }

  wordAt(number: number): string {
    const word = this.words[number];
    if (word === undefined) throw new RangeError('A word of the record is missing.');
    return word;
  }
}
