import { NameLists } from '#dump';
import { ByteWriter } from './byte-writer.js';

/** Words of one pack, and the longest of them. */
const maxWords = 4000;
const maxWordLength = 1000;
/** Bytes there is room for at once. */
const initialBytes = { pieces: 32_768, head: 4096 } as const;
/** In front of a word: there is none, it is a text of the piece, or (from here on) its number in the dictionary. */
export const wordCode = { none: 0, own: 1, first: 2 } as const;

/** Where a piece can be taken back to. */
export interface PackMark {
  readonly bytes: number;
  readonly characters: number;
}

/**
 * Pieces of bytes that share one dictionary. A piece is numbers, then all its texts in one; each can be read without
 * the others. Words are texts of the program (names, routes, statements): each stands once in the pack.
 */
export class PackWriter {
  readonly #words = new Map<string, number>();
  /** Codes of words that have numbers in the process, by these. */
  readonly #numbered: (number | undefined)[] = [];
  readonly #names = new NameLists(joinNames);
  readonly #pieces = new ByteWriter(initialBytes.pieces);
  /** Of each piece, in turn: bytes of its numbers, size of its text. */
  readonly #sizes: number[] = [];
  #start = 0;
  /** Texts of the piece, which stand behind its numbers: in one, so that they are written in one go. */
  #text = '';

  /** Bytes of the pieces so far, roughly where the last has not ended. */
  get length(): number {
    return this.#pieces.length + this.#text.length;
  }

  number(value: number): void {
    this.#pieces.number(value);
  }

  /** A whole number that may be below zero. */
  signed(value: number): void {
    this.#pieces.number(value < 0 ? -2 * value - 1 : 2 * value);
  }

  double(value: number): void {
    this.#pieces.double(value);
  }

  text(value: string): void {
    this.#pieces.number(value.length);
    this.#text += value;
  }

  word(value: string | null): void {
    if (value === null) return this.#pieces.number(wordCode.none);
    const code = this.#codeOf(value);
    if (code === wordCode.own) this.ownWord(value);
    else this.#pieces.number(code);
  }

  /** A word that has a number in the process, from 0: it is looked for once. */
  numberedWord(number: number, wordOf: (number: number) => string): void {
    let code = this.#numbered[number];
    if (code === undefined) {
      code = this.#codeOf(wordOf(number));
      if (code === wordCode.own) return this.ownWord(wordOf(number));
      this.#numbered[number] = code;
    }
    this.#pieces.number(code);
  }

  #codeOf(word: string): number {
    const known = this.#words.get(word);
    if (known !== undefined) return known;
    if (word.length > maxWordLength || this.#words.size >= maxWords) return wordCode.own;
    const code = this.#words.size + wordCode.first;
    this.#words.set(word, code);
    return code;
  }

  /** The names of a flat list of names and values as one word, and in front of it how they are put together: 1 as JSON. */
  names(flat: readonly string[]): void {
    const { format, text } = this.#names.of(flat);
    this.#pieces.number(format);
    this.word(text);
  }

  /** A text that is read as a word and is not in the dictionary: it is not likely to come again. */
  ownWord(value: string): void {
    this.#pieces.number(wordCode.own);
    this.text(value);
  }

  mark(): PackMark {
    return { bytes: this.#pieces.length, characters: this.#text.length };
  }

  /** Takes back what was written to the piece since the mark; words stay in the dictionary. */
  rewind(mark: PackMark): void {
    this.#pieces.rewind(mark.bytes);
    this.#text = this.#text.slice(0, mark.characters);
  }

  /** Takes back the piece that was not ended. */
  undo(): void {
    this.#pieces.rewind(this.#start);
    this.#text = '';
  }

  /** Ends a piece; what is written from here on belongs to the next. */
  end(): void {
    const numbers = this.#pieces.length - this.#start;
    this.#sizes.push(numbers, this.#pieces.text(this.#text));
    this.#start = this.#pieces.length;
    this.#text = '';
  }

  /** All of it as bytes, in memory of their own; the writer can go on afterwards. */
  seal(): Uint8Array {
    const head = new ByteWriter(initialBytes.head);
    head.number(this.#words.size);
    for (const word of this.#words.keys()) head.number(word.length);
    const words = new ByteWriter(initialBytes.head);
    head.number(words.text([...this.#words.keys()].join('')));
    head.append(words.bytes);
    head.number(this.#sizes.length / 2);
    for (const size of this.#sizes) head.number(size);
    const pieces = this.#pieces.bytes.subarray(0, this.#start);
    const bytes = Buffer.allocUnsafeSlow(head.length + pieces.length);
    bytes.set(head.bytes);
    bytes.set(pieces, head.length);
    return bytes;
  }
}

function joinNames(names: readonly string[]): { readonly format: 0 | 1; readonly text: string } {
  // A name with a line break is none, of a request that is refused.
  const isPlain = names.every((name) => !name.includes('\n'));
  return isPlain
    ? { format: 0, text: names.map((name) => `${name}\n`).join('') }
    : { format: 1, text: JSON.stringify(names) };
}
