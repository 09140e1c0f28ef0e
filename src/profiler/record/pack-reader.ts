import { packForm } from './pack-writer.js';
import { TapeReader } from './tape-reader.js';
import { WordReader } from './word-reader.js';

/** A part of a pack: its bytes, its text, and where what stands in it begins, bytes and text in turn. */
interface Part {
  readonly bytes: Uint8Array;
  readonly text: string;
  readonly starts: readonly number[];
}

interface Pack {
  readonly words: readonly string[];
  readonly lists: readonly (readonly number[])[];
  readonly shapes: Part;
  readonly records: Part;
}

/** Reads what a `PackWriter` sealed. Throws a RangeError where the bytes are not of that form. */
export class PackReader extends WordReader {
  readonly lists: readonly (readonly number[])[];
  readonly #shapes: Part;
  readonly #records: Part;

  constructor(bytes: Uint8Array) {
    const { words, lists, shapes, records } = readPack(bytes);
    super(words, new TapeReader(records.bytes, records.text));
    this.lists = lists;
    this.#shapes = shapes;
    this.#records = records;
  }

  get count(): number {
    return this.#records.starts.length / 2;
  }

  /** Goes to the beginning of a record. */
  open(index: number): void {
    this.tape = tapeAt(this.#records, index);
  }

  /** The shape that stands under a number. */
  shape(number: number): WordReader {
    return new WordReader(this.words, tapeAt(this.#shapes, number));
  }
}

function tapeAt({ bytes, text, starts }: Part, index: number): TapeReader {
  const start = starts[index * 2];
  if (start === undefined) throw new RangeError(`There is nothing under ${index} in the segment.`);
  return new TapeReader(bytes, text, start, starts[index * 2 + 1]);
}

function readPack(bytes: Uint8Array): Pack {
  const head = new TapeReader(bytes, '');
  const form = head.number();
  if (form !== packForm.narrow && form !== packForm.wide)
    throw new RangeError('The segment has another form.');
  const most = bytes.byteLength;
  const count = (): number => {
    const number = head.number();
    if (number > most) throw new RangeError('The segment is damaged.');
    return number;
  };
  const [words, lists, shapes, records] = [count(), count(), count(), count()];
  const [wordText, shapeText, shapeBytes, recordBytes] = [count(), count(), count(), count()];
  const shapeStarts = readStarts(head, shapes);
  const recordStarts = readStarts(head, records);
  const lengths = Array.from({ length: words }, () => head.number());
  const readLists = Array.from({ length: lists }, () => Array.from({ length: count() }, () => head.number()));
  const shapesAt = head.position;
  const recordsAt = shapesAt + shapeBytes;
  const textAt = recordsAt + recordBytes;
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = buffer.toString(form === packForm.wide ? 'utf16le' : 'utf8', textAt);
  let at = 0;
  return {
    words: lengths.map((length) => text.slice(at, (at += length))),
    lists: readLists,
    shapes: {
      bytes: bytes.subarray(shapesAt, recordsAt),
      text: text.slice(wordText, wordText + shapeText),
      starts: shapeStarts,
    },
    records: {
      bytes: bytes.subarray(recordsAt, textAt),
      text: text.slice(wordText + shapeText),
      starts: recordStarts,
    },
  };
}

function readStarts(head: TapeReader, count: number): number[] {
  const starts: number[] = [];
  for (let index = 0; index < count * 2; index++) starts.push(head.number() + (starts[index - 2] ?? 0));
  return starts;
}
