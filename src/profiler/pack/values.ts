import type { Picture } from '#dump';
import type { PackWriter } from './pack-writer.js';
import type { PieceReader } from './pack-reader.js';
import { readPictureParts, writePictureParts } from './picture-parts.js';

/** A captured value: a primitive as itself, anything else as its picture. */
export type TakenValue = string | number | boolean | null | undefined | Picture;

/** Type tag that precedes each value. */
const tag = {
  undefined: 0,
  null: 1,
  true: 2,
  false: 3,
  count: 4,
  negative: 5,
  double: 6,
  text: 7,
  word: 8,
  list: 9,
  object: 10,
  picture: 11,
} as const;
/** Longer texts are not written as words. */
const maxWordLength = 200;
const maxDepth = 64;

type WriteText = (out: PackWriter, text: string) => void;

const asText: WriteText = (out, text) => {
  out.number(tag.text);
  out.text(text);
};
const asWord: WriteText = (out, text) => {
  if (text.length > maxWordLength) return asText(out, text);
  out.number(tag.word);
  out.word(text);
};

/** Writes JSON data, and also -0, NaN and infinities. Values of other types are written as undefined. */
export function writeValue(out: PackWriter, value: unknown): void {
  write({ out, writeText: asText }, value, 0);
}

/** Writes plain data whose texts are texts of the program: short ones are stored once per pack. */
export function writeTerms(out: PackWriter, value: unknown): void {
  write({ out, writeText: asWord }, value, 0);
}

export function readValue(from: PieceReader): unknown {
  return readTagged(from, from.number(), 0);
}

export function writeTaken(out: PackWriter, value: TakenValue): void {
  if (typeof value !== 'object' || value === null) return write({ out, writeText: asText }, value, 0);
  out.number(tag.picture);
  writePictureParts(out, value);
}

/** Reads a taken value as its picture. */
export function readTaken(from: PieceReader): Picture {
  const found = from.number();
  if (found === tag.picture) return readPictureParts(from);
  const value = readTagged(from, found, 0);
  if (value === undefined) return { type: 'undefined', text: 'undefined' };
  if (value === null) return { type: 'null', text: 'null' };
  if (typeof value === 'string') return { type: 'string', text: value };
  if (typeof value === 'boolean') return { type: 'boolean', text: String(value) };
  if (typeof value !== 'number') throw new RangeError('A picture is damaged.');
  return { type: 'number', text: Object.is(value, -0) ? '-0' : String(value) };
}

/** Output of a value, and the function that writes its texts. */
interface Target {
  readonly out: PackWriter;
  readonly writeText: WriteText;
}

function write(target: Target, value: unknown, depth: number): void {
  const { out, writeText } = target;
  switch (typeof value) {
    case 'string':
      return writeText(out, value);
    case 'number':
      return writeNumber(out, value);
    case 'boolean':
      return out.number(value ? tag.true : tag.false);
    case 'object':
      if (value === null || depth > maxDepth) return out.number(tag.null);
      return Array.isArray(value) ? writeList(target, value, depth) : writeObject(target, value, depth);
    default:
      out.number(tag.undefined);
  }
}

function writeNumber(out: PackWriter, value: number): void {
  if (!Number.isSafeInteger(value) || Object.is(value, -0)) {
    out.number(tag.double);
    return out.double(value);
  }
  out.number(value < 0 ? tag.negative : tag.count);
  out.number(Math.abs(value));
}

function writeList(target: Target, list: readonly unknown[], depth: number): void {
  const { out } = target;
  out.number(tag.list);
  out.number(list.length);
  for (const item of list) write(target, item, depth + 1);
}

function writeObject(target: Target, value: object, depth: number): void {
  const { out } = target;
  out.number(tag.object);
  const entries = Object.entries(value);
  out.number(entries.length);
  for (const [key, member] of entries) {
    out.word(key);
    write(target, member, depth + 1);
  }
}

function readTagged(from: PieceReader, found: number, depth: number): unknown {
  switch (found) {
    case tag.undefined:
      return undefined;
    case tag.null:
      return null;
    case tag.true:
      return true;
    case tag.false:
      return false;
    case tag.count:
      return from.number();
    case tag.negative:
      return -from.number();
    case tag.double:
      return from.double();
    case tag.text:
      return from.text();
    case tag.word:
      return from.word() ?? '';
    default:
      return readNested(from, found, depth + 1);
  }
}

function readNested(from: PieceReader, found: number, depth: number): unknown {
  if (depth > maxDepth + 1) throw new RangeError('A value is too deep.');
  if (found === tag.list)
    return Array.from({ length: from.count() }, () => readTagged(from, from.number(), depth));
  if (found !== tag.object) throw new RangeError('A value is damaged.');
  // Assignment would treat a key `__proto__` specially.
  const object: Record<string, unknown> = {};
  for (let left = from.count(); left > 0; left--) {
    const key = from.word() ?? '';
    const value = readTagged(from, from.number(), depth);
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  }
  return object;
}
