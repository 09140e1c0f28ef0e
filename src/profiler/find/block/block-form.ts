import type { ColumnValue } from '../../form/summary-columns.js';
import type { SegmentFacts } from '../../model/segment-facts.js';

/** Location of stored integers: each takes `width` bytes and is relative to `base`. */
export interface StoredNumbers {
  /** Index of the chunk that holds them. */
  readonly chunk: number;
  readonly width: 1 | 2 | 4 | 8;
  readonly base: number;
}

export type Numbers = Uint8Array | Uint16Array | Uint32Array | Float64Array;

/** Typed array for each width. */
export const numbersOfWidth: Readonly<
  Record<
    StoredNumbers['width'],
    new (buffer: ArrayBufferLike, byteOffset?: number, length?: number) => Numbers
  >
> = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array, 8: Float64Array };

/**
 * A stored column. `values`: a small dictionary of values and a code per row; without codes, all rows have the only
 * value. `numbers`: one integer per row, relative to a base and to be divided by the scale. `texts`: a dictionary of
 * texts that are concatenated in one chunk, with their lengths, and a code per row; without codes, each row has its own.
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

/** Header of a block, stored as JSON. */
export interface BlockHead {
  readonly rows: number;
  readonly startedAt: number;
  readonly closedAt: number;
  readonly facts: SegmentFacts;
  readonly columns: Readonly<Record<string, StoredColumn>>;
  readonly keys: StoredNumbers;
  /** Absent in blocks of earlier versions. */
  readonly greatestKey?: number;
  /** Id and number of rows of each segment. */
  readonly segments: { readonly ids: StoredNumbers; readonly counts: StoredNumbers };
  /** Index of the chunk with the Bloom filter of the 3-grams and 6-grams (of bytes) in its searchable texts. */
  readonly grams: number;
  /** Uncompressed size of each chunk in bytes. */
  readonly sizes: readonly number[];
  /** CRC-32 of each chunk in its stored form. */
  readonly sums: readonly number[];
}

/** Columns whose texts are covered by `grams`. */
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

/** Calls `take` with the filter bit of each 3-gram and 6-gram of bytes; `bits` is the filter size, a power of two. */
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
