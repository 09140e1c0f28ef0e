import { TapeWriter } from './tape-writer.js';
import type { TextTape } from './text-tape.js';

const longestWord = 20_000;
const mostWords = 4000;
/** Bytes that a full segment mostly needs, so that its writers are neither made large in vain nor often made larger. */
const expectedBytes = { records: 16_384, table: 1024, lists: 1024, head: 512 } as const;

/** Codes in front of a word; higher ones count from the first word of the table. */
export const wordCode = { none: 0, inline: 1, first: 2 } as const;

/**
 * Records of one kind, packed: what repeats (names, routes, levels) stands once in a table of words and is named by
 * its number; each record can be read without those before it.
 */
export class PackWriter {
  readonly records: TapeWriter = new TapeWriter(expectedBytes.records);
  readonly #words = new Map<string, number>();
  readonly #table = new TapeWriter(expectedBytes.table);
  /** Where each record begins: bytes and text in turn. */
  readonly #starts: number[] = [];
  /** Lists of numbers that repeat, each with its length in front. */
  readonly #lists = new TapeWriter(expectedBytes.lists);
  #listCount = 0;

  get count(): number {
    return this.#starts.length / 2;
  }

  /** Bytes and characters so far. */
  get weight(): number {
    return this.records.byteLength + this.records.textLength + this.#table.textLength;
  }

  begin(): void {
    this.#starts.push(this.records.byteLength, this.records.textLength);
  }

  /** Takes back a record that could not be written. */
  undo(): void {
    const text = this.#starts.pop() ?? 0;
    const bytes = this.#starts.pop() ?? 0;
    this.records.rewind(bytes, text);
  }

  number(value: number): void {
    this.records.number(value);
  }

  string(value: string): void {
    this.records.string(value);
  }

  /** A text that is likely to come again. */
  word(value: string | null): void {
    if (value === null) return this.records.number(wordCode.none);
    const known = this.numberOfWord(value);
    if (known >= 0) return this.records.number(known + wordCode.first);
    this.records.number(wordCode.inline);
    this.records.string(value);
  }

  /** Number of a word in the table; −1 where it is too long or the table is full. */
  numberOfWord(value: string): number {
    const known = this.#words.get(value);
    if (known !== undefined) return known;
    const number = this.#words.size;
    if (value.length > longestWord || number >= mostWords) return -1;
    this.#words.set(value, number);
    this.#table.string(value);
    return number;
  }

  /** Adds a list of numbers; gives its own number. */
  addList(numbers: readonly number[]): number {
    this.#lists.number(numbers.length);
    for (const number of numbers) this.#lists.number(number);
    return this.#listCount++;
  }

  /** All of it as bytes; the writer can go on afterwards. */
  seal(): Uint8Array {
    const text = joinTexts(this.#table.text, this.records.text);
    const head = this.#head(text.isWide);
    return joinBytes([head.bytes, this.#table.bytes, this.#lists.bytes, this.records.bytes, ...text.parts]);
  }

  #head(isWide: boolean): TapeWriter {
    const head = new TapeWriter(expectedBytes.head);
    head.number(isWide ? 1 : 0);
    head.number(this.#words.size);
    head.number(this.#listCount);
    head.number(this.count);
    head.number(this.#table.textLength);
    head.number(this.records.byteLength);
    for (let index = 0; index < this.#starts.length; index += 2) {
      head.number((this.#starts[index] ?? 0) - (this.#starts[index - 2] ?? 0));
      head.number((this.#starts[index + 1] ?? 0) - (this.#starts[index - 1] ?? 0));
    }
    return head;
  }
}

/** In memory of their own, which can be given away. */
function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = Buffer.allocUnsafeSlow(parts.reduce((sum, part) => sum + part.byteLength, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.byteLength;
  }
  return bytes;
}

/** Two texts as one, in UTF-8, or wide in UTF-16: half of a surrogate pair alone cannot be written otherwise. */
function joinTexts(first: TextTape, second: TextTape): { isWide: boolean; parts: readonly Uint8Array[] } {
  const [left, right] = [first.ascii, second.ascii];
  if (left !== undefined && right !== undefined) return { isWide: false, parts: [left, right] };
  const text = first.text + second.text;
  const isWide = !isWellFormed(text);
  return { isWide, parts: [Buffer.from(text, isWide ? 'utf16le' : 'utf8')] };
}

/** Whether UTF-8 can hold the text. */
function isWellFormed(text: string): boolean {
  // In every supported Node (V8 11.1), not yet in the library's types.
  return (text as string & { isWellFormed(): boolean }).isWellFormed();
}
