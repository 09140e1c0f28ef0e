import type { NamedPicture } from '../model/profile-record.js';
import { readValue, writeValue, type TakenValue } from './picture-argument.js';
import { readPicture } from './picture-tape.js';
import type { ShapeTable } from './shape-table.js';
import { SharedPicture } from './shared-picture.js';
import type { WordReader } from './word-reader.js';
import type { WordWriter } from './word-writer.js';

/** A parameter of a route, or an argument of a controller. */
export interface NamedValue {
  readonly name: string;
  readonly value: TakenValue;
}

const most = 1000;

/** The names, and the pictures of what is alike for all requests, belong to the shape of a record. */
export function describeNamed(values: readonly NamedValue[], shape: ShapeTable): void {
  shape.add(values.length);
  for (const { name, value } of values) {
    shape.add(name);
    shape.add(value instanceof SharedPicture ? value : 0);
  }
}

/** The values that are the record's own. */
export function writeNamed(values: readonly NamedValue[], pack: WordWriter): void {
  for (const { value } of values) if (!(value instanceof SharedPicture)) writeValue(pack, value);
}

export function readNamed(shape: WordReader, pack: WordReader): NamedPicture[] {
  return Array.from({ length: Math.min(shape.number(), most) }, () => ({
    name: shape.word() ?? '',
    value: shape.number() === 0 ? readValue(pack) : readPicture(shape),
  }));
}
