import type { NamedPicture } from '../model/profile-record.js';
import { readValue, writeValue, type TakenValue } from './picture-argument.js';
import { readPicture } from './picture-tape.js';
import type { ShapeTable } from './shape-table.js';
import { SharedPicture } from './shared-picture.js';
import type { WordReader } from './word-reader.js';
import type { WordWriter } from './word-writer.js';

/** Parameters of a route, or arguments of a controller. */
export interface NamedValues {
  /** In the order of the values; there may be more. */
  readonly names: readonly (string | { readonly name: string })[];
  readonly values: readonly TakenValue[];
}

export const noValues: NamedValues = { names: [], values: [] };

const most = 1000;

/** The names, and the pictures of what is alike for all requests, belong to the shape of a record. */
export function describeNamed({ names, values }: NamedValues, shape: ShapeTable): void {
  shape.add(values.length);
  for (let at = 0; at < values.length; at++) {
    const value = values[at];
    const name = names[at] ?? String(at);
    shape.add(typeof name === 'string' ? name : name.name);
    shape.add(value instanceof SharedPicture ? value : 0);
  }
}

/** The values that are the record's own. */
export function writeNamed({ values }: NamedValues, pack: WordWriter): void {
  for (const value of values) if (!(value instanceof SharedPicture)) writeValue(pack, value);
}

export function readNamed(shape: WordReader, pack: WordReader): NamedPicture[] {
  return Array.from({ length: Math.min(shape.number(), most) }, () => ({
    name: shape.word() ?? '',
    value: shape.number() === 0 ? readValue(pack) : readPicture(shape),
  }));
}
