import type { ColumnValue } from '../../form/summary-columns.js';
import type { SegmentFacts } from '../../model/segment-facts.js';

/** Numbers as they are stored: each so many bytes, above a base. */
export interface StoredNumbers {
  /** Which chunk they are. */
  readonly chunk: number;
  readonly width: 1 | 2 | 4 | 8;
  readonly base: number;
}

export type Numbers = Uint8Array | Uint16Array | Uint32Array | Float64Array;

/** What numbers of each width are read and written as. */
export const numbersOfWidth: Readonly<
  Record<
    StoredNumbers['width'],
    new (buffer: ArrayBufferLike, byteOffset?: number, length?: number) => Numbers
  >
> = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array, 8: Float64Array };

/**
 * A column as it is stored. `values`: few values, and the code of each row; without codes all rows have the only one ·
 * `numbers`: a whole number for each row, above a base, to be divided by the scale · `texts`: texts in one chunk, with the
 * length of each, and the code of each row; without codes each row has its own.
 */
export type StoredColumn =
  | { readonly kind: 'values'; readonly values: readonly ColumnValue[]; readonly codes?: StoredNumbers }
  | { readonly kind: 'numbers'; readonly numbers: StoredNumbers; readonly scale: number }
  | {
      readonly kind: 'texts';
      readonly chunk: number;
      readonly encoding: 'latin1' | 'utf8';
      readonly lengths: StoredNumbers;
      readonly hasNull: boolean;
      readonly codes?: StoredNumbers;
    };

/** The description of a block, as JSON. */
export interface BlockHead {
  readonly rows: number;
  readonly startedAt: number;
  readonly closedAt: number;
  readonly facts: SegmentFacts;
  readonly columns: Readonly<Record<string, StoredColumn>>;
  readonly keys: StoredNumbers;
  /** Blocks of earlier versions do not have it. */
  readonly greatestKey?: number;
  /** Number of each segment, and its rows. */
  readonly segments: { readonly ids: StoredNumbers; readonly counts: StoredNumbers };
  /** The chunk that shows which three and which six bytes in a row its texts have. */
  readonly grams: number;
  /** Bytes of each chunk before it is deflated. */
  readonly sizes: readonly number[];
  /** CRC-32 of each chunk as it is stored. */
  readonly sums: readonly number[];
}

/** Columns whose texts `grams` are of. */
export const searchedColumns: ReadonlySet<string> = new Set([
  'target',
  'url',
  'path',
  'route',
  'user',
  'exception',
  'errorClass',
  'errorPlace',
  'clientAddress',
  'trace',
  'visitor',
  'parent',
]);

/** Calls back with the bit, of so many (a power of two), of each three and of each six bytes in a row. */
export function eachGram(bytes: Uint8Array, bits: number, take: (bit: number) => void): void {
  let [three, before1, before2, before3] = [((bytes[0] ?? 0) << 8) | (bytes[1] ?? 0), 0, 0, 0];
  for (let at = 2; at < bytes.length; at++) {
    [before3, before2, before1] = [before2, before1, three];
    three = ((three << 8) | (bytes[at] ?? 0)) & 0xffffff;
    const mixed = Math.imul(three, 0x9e3779b1);
    take((mixed ^ (mixed >>> 15)) & (bits - 1));
    if (at < 5) continue;
    const both = Math.imul(mixed ^ Math.imul(before3, 0x85ebca6b), 0xc2b2ae35);
    take((both ^ (both >>> 15)) & (bits - 1));
  }
}
