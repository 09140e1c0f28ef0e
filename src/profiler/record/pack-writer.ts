import { ShapeTable } from './shape-table.js';
import { TapeWriter } from './tape-writer.js';
import type { TextTape } from './text-tape.js';
import { WordTable, WordWriter } from './word-writer.js';

/** Bytes that a full segment mostly needs, so that its writers are neither made large in vain nor often made larger. */
const expectedBytes = { records: 32_768, lists: 1024, head: 1024, starts: 4096 } as const;

/** In front of a pack: how its text is encoded. What was written before there were shapes had 0 and 1. */
export const packForm = { narrow: 2, wide: 3 } as const;

/**
 * Records of one kind, packed: what repeats (words, shapes, lists) stands once and is named by its number; each record
 * can be read without those before it.
 */
export class PackWriter extends WordWriter {
  readonly shapes: ShapeTable;
  /** Where each record begins, in bytes and text, as what it is more than the one before. */
  readonly #starts = new TapeWriter(expectedBytes.starts);
  /** Where the last record begins, and where the one before it did. */
  #bytes = 0;
  #text = 0;
  #bytesBefore = 0;
  #textBefore = 0;
  #startOfLast = 0;
  #count = 0;
  /** Lists of numbers that repeat, each with its length in front. */
  readonly #lists = new TapeWriter(expectedBytes.lists);
  #listCount = 0;

  constructor() {
    super(new WordTable(), new TapeWriter(expectedBytes.records));
    this.shapes = new ShapeTable(this.words);
  }

  get count(): number {
    return this.#count;
  }

  /** Bytes and characters so far. */
  get weight(): number {
    return (
      this.tape.byteLength + this.tape.textLength + this.words.tape.textLength + this.shapes.tape.byteLength
    );
  }

  begin(): void {
    const { byteLength, textLength } = this.tape;
    this.#startOfLast = this.#starts.byteLength;
    this.#starts.number(byteLength - this.#bytes);
    this.#starts.number(textLength - this.#text);
    this.#bytesBefore = this.#bytes;
    this.#textBefore = this.#text;
    this.#bytes = byteLength;
    this.#text = textLength;
    this.#count++;
  }

  /** Takes back the last record, which could not be written. Once after each `begin` at most. */
  undo(): void {
    this.tape.rewind(this.#bytes, this.#text);
    this.#starts.rewind(this.#startOfLast, 0);
    this.#bytes = this.#bytesBefore;
    this.#text = this.#textBefore;
    this.#count--;
  }

  /** Gives the memory back: the writer must not be used after this. */
  release(): void {
    for (const tape of [this.tape, this.words.tape, this.shapes.tape, this.#lists, this.#starts])
      tape.release();
  }

  /** Adds a list of numbers; gives its own number. */
  addList(numbers: readonly number[]): number {
    this.#lists.number(numbers.length);
    for (const number of numbers) this.#lists.number(number);
    return this.#listCount++;
  }

  /** All of it as bytes; the writer can go on afterwards. */
  seal(): Uint8Array {
    const { shapes, words, tape } = this;
    const text = joinTexts([words.tape.text, shapes.tape.text, tape.text]);
    const head = this.#head(text.isWide);
    const bytes = joinBytes([
      head.bytes,
      this.#starts.bytes,
      words.tape.bytes,
      this.#lists.bytes,
      shapes.tape.bytes,
      tape.bytes,
      ...text.parts,
    ]);
    head.release();
    return bytes;
  }

  #head(isWide: boolean): TapeWriter {
    const { shapes, words, tape } = this;
    const head = new TapeWriter(expectedBytes.head);
    head.number(isWide ? packForm.wide : packForm.narrow);
    head.number(words.size);
    head.number(this.#listCount);
    head.number(shapes.starts.length / 2);
    head.number(this.count);
    head.number(words.tape.textLength);
    head.number(shapes.tape.textLength);
    head.number(shapes.tape.byteLength);
    head.number(tape.byteLength);
    writeStarts(head, shapes.starts);
    return head;
  }
}

/** Each as what it is more than the one before. */
function writeStarts(head: TapeWriter, starts: readonly number[]): void {
  for (let index = 0; index < starts.length; index++) {
    head.number((starts[index] ?? 0) - (starts[index - 2] ?? 0));
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

/** Texts as one, in UTF-8, or wide in UTF-16: half of a surrogate pair alone cannot be written otherwise. */
function joinTexts(tapes: readonly TextTape[]): { isWide: boolean; parts: readonly Uint8Array[] } {
  const parts: Uint8Array[] = [];
  for (const { ascii } of tapes) if (ascii !== undefined) parts.push(ascii);
  if (parts.length === tapes.length) return { isWide: false, parts };
  const text = tapes.map((tape) => tape.text).join('');
  const isWide = !isWellFormed(text);
  return { isWide, parts: [Buffer.from(text, isWide ? 'utf16le' : 'utf8')] };
}

/** Whether UTF-8 can hold the text. */
function isWellFormed(text: string): boolean {
  // In every supported Node (V8 11.1), not yet in the library's types.
  return (text as string & { isWellFormed(): boolean }).isWellFormed();
}
