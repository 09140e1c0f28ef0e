import { NameLists } from '#dump';
import { ByteWriter } from './byte-writer.js';

/** Maximum number of words in the dictionary of a pack. */
const maxWords = 4000;
/** Maximum length of a word in characters. */
const maxWordLength = 1000;
/** Initial capacities in bytes. */
const initialBytes = { pieces: 32_768, head: 4096 } as const;
/** Code of a word: null, a text stored in the piece itself, or (from `first` on) an index in the dictionary. */
export const wordCode = { none: 0, own: 1, first: 2 } as const;

/** Position in a piece to which the writer can be rewound. */
export interface PackMark {
  readonly bytes: number;
  readonly characters: number;
}

/**
 * Writes pieces that share one dictionary of words. A piece consists of its numbers, followed by the concatenation of its
 * texts; each piece can be read without the others. Words are texts of the program (names, routes, statements), each of
 * which is stored once per pack.
 */
export class PackWriter {
  readonly #words = new Map<string, number>();
  /** Codes of numbered words (see `numberedWord`). */
  readonly #numbered: (number | undefined)[] = [];
  readonly #names = new NameLists(joinNames);
  readonly #pieces = new ByteWriter(initialBytes.pieces);
  /** For each piece, alternating: bytes of its numbers, and size code of its text. */
  readonly #sizes: number[] = [];
  #start = 0;
  /** Concatenated texts of the current piece, which are encoded at once when the piece ends. */
  #text = '';

  /** Bytes of the pieces so far; approximate while a piece is not ended. */
  get length(): number {
    return this.#pieces.length + this.#text.length;
  }

  number(value: number): void {
    this.#pieces.number(value);
  }

  /** Writes an integer that may be negative (zigzag encoding). */
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

  /** Writes a word that has a number ≥ 0 in this process, so that it is looked up in the dictionary only once. */
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

  /** Writes the names of a flat list of names and values as one word, preceded by its format: 0 lines, 1 JSON. */
  names(flat: readonly string[]): void {
    const { format, text } = this.#names.of(flat);
    this.#pieces.number(format);
    this.word(text);
  }

  /** Writes a word without adding it to the dictionary, because it is not likely to occur again. */
  ownWord(value: string): void {
    this.#pieces.number(wordCode.own);
    this.text(value);
  }

  mark(): PackMark {
    return { bytes: this.#pieces.length, characters: this.#text.length };
  }

  /** Discards what was written to the piece since the mark; words stay in the dictionary. */
  rewind(mark: PackMark): void {
    this.#pieces.rewind(mark.bytes);
    this.#text = this.#text.slice(0, mark.characters);
  }

  /** Discards the current piece. */
  undo(): void {
    this.#pieces.rewind(this.#start);
    this.#text = '';
  }

  /** Ends the current piece and begins the next one. */
  end(): void {
    const numbers = this.#pieces.length - this.#start;
    this.#sizes.push(numbers, this.#pieces.text(this.#text));
    this.#start = this.#pieces.length;
    this.#text = '';
  }

  /** Returns the ended pieces as a copy. The writer can be used further. */
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
  // Only an invalid request, which is rejected, has a name with a line break.
  const isPlain = names.every((name) => !name.includes('\n'));
  return isPlain
    ? { format: 0, text: names.map((name) => `${name}\n`).join('') }
    : { format: 1, text: JSON.stringify(names) };
}
