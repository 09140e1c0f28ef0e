import { writePicture } from './picture-tape.js';
import { SharedPicture } from './shared-picture.js';
import { TapeWriter } from './tape-writer.js';
import { WordWriter, type WordTable } from './word-writer.js';

/** A text is a word of the table. In front of a picture stands 1, where another record may have the number 0. */
export type ShapePart = string | number | null | SharedPicture;

interface KnownShape {
  readonly parts: readonly ShapePart[];
  readonly number: number;
}

/** Bytes there is room for at once: some shapes. */
const expectedBytes = 512;
const mostKnown = 32;

/**
 * What records have in common with others of their route: which listeners ran, which headers were sent, what was logged.
 * It is put together for each record, but written once; a record names its shape by number and has only what differs.
 * Comparing costs a fraction of writing: nearly all parts are the same objects as before.
 */
export class ShapeTable {
  readonly tape: TapeWriter;
  /** Where each shape begins: bytes and text in turn. */
  readonly starts: number[] = [];
  readonly #writer: WordWriter;
  /** Those seen last come first. */
  readonly #known: KnownShape[] = [];
  readonly #parts: ShapePart[] = [];
  #count = 0;
  /** Whether no record had the last shape before. */
  isNew = false;

  constructor(words: WordTable) {
    this.tape = new TapeWriter(expectedBytes);
    this.#writer = new WordWriter(words, this.tape);
  }

  /** Begins the shape of another record. */
  begin(): void {
    this.#count = 0;
  }

  add(part: ShapePart): void {
    this.#parts[this.#count++] = part;
  }

  /** Number of the shape that has the parts added. */
  end(): number {
    const known = this.#known;
    for (let at = 0; at < known.length; at++) {
      const shape = known[at];
      if (shape === undefined || !this.#isLike(shape.parts)) continue;
      const first = known[0];
      if (at > 0 && first !== undefined) [known[0], known[at]] = [shape, first];
      this.isNew = false;
      return shape.number;
    }
    this.isNew = true;
    return this.#write();
  }

  #isLike(parts: readonly ShapePart[]): boolean {
    if (parts.length !== this.#count) return false;
    const own = this.#parts;
    for (let at = 0; at < parts.length; at++) if (parts[at] !== own[at]) return false;
    return true;
  }

  #write(): number {
    const number = this.starts.length / 2;
    this.starts.push(this.tape.byteLength, this.tape.textLength);
    const parts = this.#parts.slice(0, this.#count);
    for (const part of parts) this.#writePart(part);
    this.#known.unshift({ parts, number });
    if (this.#known.length > mostKnown) this.#known.pop();
    return number;
  }

  #writePart(part: ShapePart): void {
    if (typeof part === 'number') this.#writer.number(part);
    else if (part instanceof SharedPicture) {
      this.#writer.number(1);
      writePicture(this.#writer, part.picture);
    } else this.#writer.word(part);
  }
}
