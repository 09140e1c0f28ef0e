import { ByteReader } from './byte-reader.js';
import { wordCode } from './pack-writer.js';

/** Reads a pack written by `PackWriter`. Throws a RangeError if the bytes are malformed. */
export class PackReader {
  readonly #words: readonly string[];
  readonly #sizes: readonly number[];
  readonly #pieces: Uint8Array;

  constructor(bytes: Uint8Array) {
    const head = new ByteReader(bytes);
    const lengths = numbersOf(head, head.count());
    const size = head.number();
    this.#words = splitText(decodeText(head.take(byteSize(size)), size), lengths);
    this.#sizes = numbersOf(head, head.count() * 2);
    this.#pieces = head.take(head.left);
  }

  get count(): number {
    return this.#sizes.length / 2;
  }

  /** Opens a piece for reading. */
  open(index: number): PieceReader {
    let start = 0;
    for (let before = 0; before < index; before++) start += this.#lengthOf(before);
    const [numbers, size] = [this.#sizes[index * 2], this.#sizes[index * 2 + 1]];
    if (numbers === undefined || size === undefined)
      throw new RangeError(`There is no piece ${index} in the pack.`);
    const end = start + numbers;
    if (end + byteSize(size) > this.#pieces.length) throw new RangeError('The pieces end early.');
    const text = decodeText(this.#pieces.subarray(end, end + byteSize(size)), size);
    return new PieceReader(this.#pieces.subarray(start, end), text, this.#words);
  }

  #lengthOf(index: number): number {
    return (this.#sizes[index * 2] ?? 0) + byteSize(this.#sizes[index * 2 + 1] ?? 0);
  }
}

/** Reads the numbers and texts of a piece in the order in which they were written. */
export class PieceReader extends ByteReader {
  readonly #text: string;
  readonly #words: readonly string[];
  #textAt = 0;

  constructor(numbers: Uint8Array, text: string, words: readonly string[]) {
    super(numbers);
    this.#text = text;
    this.#words = words;
  }

  signed(): number {
    const code = this.number();
    return code % 2 === 1 ? -(code + 1) / 2 : code / 2;
  }

  text(): string {
    const end = this.#textAt + this.number();
    if (end > this.#text.length) throw new RangeError('The text ends early.');
    const text = this.#text.slice(this.#textAt, end);
    this.#textAt = end;
    return text;
  }

  word(): string | null {
    const code = this.number();
    if (code === wordCode.none) return null;
    if (code === wordCode.own) return this.text();
    const word = this.#words[code - wordCode.first];
    if (word === undefined) throw new RangeError('A word is not in the dictionary.');
    return word;
  }
}

/** Decodes a text; `size` is the size code returned by `ByteWriter.text`. */
function decodeText(bytes: Uint8Array, size: number): string {
  const { buffer, byteOffset, byteLength } = bytes;
  return Buffer.from(buffer, byteOffset, byteLength).toString(size % 2 === 1 ? 'utf16le' : 'utf8');
}

/** Returns the number of bytes of a text with this size code. */
function byteSize(size: number): number {
  return Math.floor(size / 2);
}

function numbersOf(from: ByteReader, count: number): number[] {
  if (count > from.left) throw new RangeError('More is announced than there is.');
  return Array.from({ length: count }, () => from.number());
}

function splitText(text: string, lengths: readonly number[]): string[] {
  let at = 0;
  return lengths.map((length) => text.slice(at, (at += length)));
}
