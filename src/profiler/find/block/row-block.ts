import { crc32, inflateRawSync } from 'node:zlib';
import type { ColumnValue } from '../../form/summary-columns.js';
import type { StoredSummary } from '../../model/profile-store.js';
import { Column, derivedColumn, derivedFrom, TextList } from '../column.js';
import { ScaledNumbers } from '../scaled-numbers.js';
import { type RowColumns, SegmentColumns, type SegmentData } from '../find-rows.js';
import { ownValue } from '../own-value.js';
import type { Condition } from '../prepare-query.js';
import {
  type BlockHead,
  eachGram,
  type Numbers,
  numbersOfWidth,
  type StoredColumn,
  type StoredNumbers,
  searchedColumns,
} from './block-form.js';

/** Access to the bytes of a block and to its segments. */
export interface BlockSource {
  /** Returns a chunk in its stored form. */
  chunk(place: number): Uint8Array;
  /** Returns undefined if the segment no longer exists. */
  segment(id: number): SegmentData | undefined;
  /** Called before the error is thrown if the checksum of a chunk is wrong. */
  damaged(): void;
  /** For remote stores: fetches chunks and segments before they are read. */
  readonly bring?: (wanted: {
    readonly chunks?: readonly number[];
    readonly segments?: readonly number[];
  }) => Promise<void>;
}

/** Thrown if a block cannot be read (any more); the search is then restarted. */
export class BlockUnreadable extends Error {}

/** The rows of a block. Each column is read on first use. */
export class RowBlock implements RowColumns {
  readonly head: BlockHead;
  readonly #source: BlockSource;
  readonly #columns = new Map<string, Column>();
  #keys: Numbers | undefined;
  #grams: Uint8Array | undefined;
  #segments: { readonly ids: Numbers; readonly starts: Float64Array } | undefined;

  constructor(head: BlockHead, source: BlockSource) {
    this.head = head;
    this.#source = source;
  }

  key(row: number): number {
    this.#keys ??= this.#numbers(this.head.keys);
    return this.head.keys.base + (this.#keys[row] ?? Number.NaN);
  }

  column(name: string): Column {
    let column = this.#columns.get(name);
    if (column === undefined) this.#columns.set(name, (column = this.#column(name)));
    return column;
  }

  /** For remote stores: fetches what a search with these conditions and columns reads. */
  async load(conditions: readonly Condition[], columns: readonly string[]): Promise<void> {
    const { bring } = this.#source;
    if (bring === undefined) return;
    if (this.#canUseFilter(conditions)) await bring({ chunks: [this.head.grams] });
    if (this.excludes(conditions)) return;
    const { keys, segments } = this.head;
    const own = columns.map((name) => chunksOf(this.head, name));
    await bring({
      chunks: [keys.chunk, segments.ids.chunk, segments.counts.chunk, ...own.flatMap((one) => one ?? [])],
    });
    if (own.includes(undefined)) await bring({ segments: this.segments().map(([id]) => id) });
  }

  rows(rows: Iterable<number>): readonly StoredSummary[] | Promise<readonly StoredSummary[]> {
    const { ids, starts } = this.#segmentList();
    const wanted = new Map<number, number[]>();
    for (const row of rows) {
      const place = placeOf(starts, row);
      const own = wanted.get(place);
      if (own === undefined) wanted.set(place, [row]);
      else own.push(row);
    }
    const idOf = (place: number): number => this.head.segments.ids.base + (ids[place] ?? 0);
    const read = (): readonly StoredSummary[] =>
      [...wanted].flatMap(([place, own]) => {
        const data = this.#source.segment(idOf(place));
        const start = starts[place] ?? 0;
        return data === undefined
          ? []
          : new SegmentColumns(data).rows(
              own.map((row) => row - start),
              (name, index) => this.#known(name, start + index),
            );
      });
    const { bring } = this.#source;
    return bring === undefined ? read() : bring({ segments: Array.from(wanted.keys(), idOf) }).then(read);
  }

  /** Returns the first row of a segment; if the segment is missing, of the next one. */
  startOf(segment: number): number {
    const { ids, starts } = this.#segmentList();
    const place = ids.findIndex((id) => this.head.segments.ids.base + id >= segment);
    return place === -1 ? this.head.rows : (starts[place] ?? 0);
  }

  segments(): readonly (readonly [id: number, rows: number])[] {
    const { ids, starts } = this.#segmentList();
    return Array.from(ids, (id, place) => [
      this.head.segments.ids.base + id,
      (starts[place + 1] ?? this.head.rows) - (starts[place] ?? 0),
    ]);
  }

  /** Returns true if the filter shows that some condition cannot be met: none of its texts occurs in the block. */
  excludes(conditions: readonly Condition[]): boolean {
    return conditions.some(
      (condition) =>
        this.#canUseFilter([condition]) &&
        'texts' in condition.test &&
        condition.test.texts.every((text) => text.isWellFormed() && this.#isNowhere(text)),
    );
  }

  /** Returns whether the gram filter applies to one of the conditions. */
  #canUseFilter(conditions: readonly Condition[]): boolean {
    return conditions.some(
      ({ test, columns, isNegated, fails }) =>
        !isNegated &&
        fails === undefined &&
        'texts' in test &&
        columns.every((name) => searchedColumns.has(name) && chunksOf(this.head, name) !== undefined),
    );
  }

  #isNowhere(text: string): boolean {
    const found = (this.#grams ??= this.#inflate(this.head.grams));
    let isMissing = false;
    eachGram(Buffer.from(text.toLowerCase()), found.length * 8, (bit) => {
      isMissing ||= ((found[bit >> 3] ?? 0) & (1 << (bit & 7))) === 0;
    });
    return isMissing;
  }

  /** Returns a value that is known from the head or from a column already read, so that the segment need not be read. */
  #known(name: string, row: number): ColumnValue | undefined {
    const stored = ownValue(this.head.columns, name);
    if (stored?.kind === 'values' && stored.codes === undefined) return stored.values[0];
    return this.#columns.get(name)?.at(row);
  }

  #column(name: string): Column {
    const stored = ownValue(this.head.columns, name);
    if (stored !== undefined) return this.#storedColumn(stored);
    return derivedColumn(name, (other) => this.column(other)) ?? this.#slowColumn(name);
  }

  #storedColumn(stored: StoredColumn): Column {
    if (stored.kind === 'numbers')
      return new Column(
        new ScaledNumbers(this.#numbers(stored.numbers), { base: stored.numbers.base, scale: stored.scale }),
      );
    const codes = stored.codes && this.#numbers(stored.codes);
    if (stored.kind === 'values') return new Column(stored.values, codes ?? new Uint8Array(this.head.rows));
    const bytes = this.#inflate(stored.chunk);
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString(stored.encoding);
    const { lengths, hasNull } = stored;
    return new Column(
      new TextList({ text, lengths: this.#numbers(lengths), base: lengths.base, hasNull }),
      codes,
    );
  }

  /** Reads a column that is not in the block from its segments. */
  #slowColumn(name: string): Column {
    return new Column(
      this.segments().flatMap(([id, rows]) => {
        const data = this.#source.segment(id);
        const column = data && new SegmentColumns(data).column(name);
        return Array.from({ length: rows }, (_, row) => column?.at(row) ?? null);
      }),
    );
  }

  #segmentList(): { readonly ids: Numbers; readonly starts: Float64Array } {
    if (this.#segments === undefined) {
      const { ids, counts } = this.head.segments;
      const starts = new Float64Array(this.#numbers(counts));
      let start = 0;
      for (let place = 0; place < starts.length; place++) {
        const count = counts.base + (starts[place] ?? 0);
        starts[place] = start;
        start += count;
      }
      this.#segments = { ids: this.#numbers(ids), starts };
    }
    return this.#segments;
  }

  #numbers({ chunk, width }: StoredNumbers): Numbers {
    const bytes = this.#inflate(chunk);
    const { buffer, byteOffset, length } = bytes;
    const aligned = byteOffset % width === 0 ? buffer : bytes.slice().buffer;
    const start = byteOffset % width === 0 ? byteOffset : 0;
    return new numbersOfWidth[width](aligned, start, length / width);
  }

  #inflate(place: number): Uint8Array {
    const size = this.head.sizes[place] ?? 0;
    const stored = this.#source.chunk(place);
    if (crc32(stored) !== this.head.sums[place]) {
      this.#source.damaged();
      throw new BlockUnreadable(`Chunk ${place} is not what was written.`);
    }
    if (stored.length === size) return stored; // stored uncompressed
    return inflateRawSync(stored, { chunkSize: Math.max(64, size + 1), maxOutputLength: size + 1 });
  }
}

/** Returns the chunks from which a column is read; undefined if it is read from the segments. */
function chunksOf(head: BlockHead, name: string): readonly number[] | undefined {
  const stored = ownValue(head.columns, name);
  if (stored === undefined) {
    const chunks = derivedFrom.get(name)?.map((other) => chunksOf(head, other)) ?? [undefined];
    return chunks.includes(undefined) ? undefined : chunks.flatMap((one) => one ?? []);
  }
  if (stored.kind === 'numbers') return [stored.numbers.chunk];
  const codes = stored.codes === undefined ? [] : [stored.codes.chunk];
  return stored.kind === 'values' ? codes : [stored.chunk, stored.lengths.chunk, ...codes];
}

/** Returns the index of the last start ≤ `row`, by binary search. */
function placeOf(starts: Float64Array, row: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= row) low = middle;
    else high = middle - 1;
  }
  return low;
}
