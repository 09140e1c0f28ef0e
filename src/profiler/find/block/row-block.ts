import { crc32, inflateRawSync } from 'node:zlib';
import type { StoredSummary } from '../../model/profile-store.js';
import { classColumn, Column, pathColumn, ScaledNumbers, TextList, UrlColumn } from '../column.js';
import { type RowColumns, SegmentColumns, type SegmentData } from '../find-rows.js';
import type { Condition } from '../prepare-query.js';
import {
  type BlockHead,
  eachGram,
  type StoredColumn,
  type StoredNumbers,
  searchedColumns,
} from './block-form.js';

/** Where the bytes of a block are, and its segments. */
export interface BlockSource {
  /** A chunk as it was written. */
  chunk(place: number): Uint8Array;
  /** Undefined where the segment is gone. */
  segment(id: number): SegmentData | undefined;
  /** Called where a chunk is not what was written, in front of the error. */
  damaged(): void;
}

/** A block cannot be read (any more): whoever reads begins anew. */
export class BlockUnreadable extends Error {}

type Numbers = Uint8Array | Uint16Array | Uint32Array | Float64Array;

/** The rows of a block, of which each column is read when it is first asked for. */
export class RowBlock implements RowColumns {
  readonly head: BlockHead;
  readonly #source: BlockSource;
  readonly #columns = new Map<string, Column>();
  #keys: Numbers | undefined;
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

  rows(rows: Iterable<number>): readonly StoredSummary[] {
    const { ids, starts } = this.#segmentList();
    let open: { readonly place: number; readonly rows: SegmentColumns | undefined } | undefined;
    return [...rows].flatMap((row) => {
      const place = placeOf(starts, row);
      if (open?.place !== place) {
        const data = this.#source.segment(this.head.segments.ids.base + (ids[place] ?? 0));
        open = { place, rows: data && new SegmentColumns(data) };
      }
      return open.rows === undefined
        ? []
        : this.#row(row, { rows: open.rows, index: row - (starts[place] ?? 0) });
    });
  }

  /** The first row of a segment; of one that is not there, of the next. */
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

  /** Whether a condition asks for a text of which few letters in a row stand nowhere in the block. */
  excludes(conditions: readonly Condition[]): boolean {
    let bits: Uint8Array | undefined;
    return conditions.some(({ test, columns, isNegated, fails }) => {
      if (isNegated || fails !== undefined || !('texts' in test)) return false;
      if (!columns.every((name) => searchedColumns.has(name) && isStored(this.head, name))) return false;
      return test.texts.every((text) => {
        if (!text.isWellFormed()) return false;
        const found = (bits ??= this.#inflate(this.head.grams));
        let isMissing = false;
        eachGram(Buffer.from(text.toLowerCase()), found.length * 8, (bit) => {
          isMissing ||= ((found[bit >> 3] ?? 0) & (1 << (bit & 7))) === 0;
        });
        return isMissing;
      });
    });
  }

  /** What the head says, or was read already, is not read of the segment. */
  #row(
    row: number,
    { rows, index }: { readonly rows: SegmentColumns; readonly index: number },
  ): StoredSummary {
    return rows.row(index, (name) => {
      const stored = this.head.columns[name];
      if (stored?.kind === 'values' && stored.codes === undefined) return stored.values[0];
      return this.#columns.get(name)?.at(row);
    });
  }

  #column(name: string): Column {
    if (name === 'path') return pathColumn(this.column('target'));
    if (name === 'url') return new UrlColumn(this.column('origin'), this.column('target'));
    const stored = this.head.columns[name];
    if (stored === undefined && name === 'durationClass') return classColumn(this.column('durationMs'));
    return stored === undefined ? this.#slowColumn(name) : this.#storedColumn(stored);
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

  /** What is not in the block is in its segments. */
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
    switch (width) {
      case 1:
        return bytes;
      case 2:
        return new Uint16Array(aligned, start, length / 2);
      case 4:
        return new Uint32Array(aligned, start, length / 4);
      case 8:
        return new Float64Array(aligned, start, length / 8);
    }
  }

  #inflate(place: number): Uint8Array {
    const size = this.head.sizes[place] ?? 0;
    const stored = this.#source.chunk(place);
    if (crc32(stored) !== this.head.sums[place]) {
      this.#source.damaged();
      throw new BlockUnreadable(`Chunk ${place} is not what was written.`);
    }
    if (stored.length === size) return stored; // it could not be made smaller
    return inflateRawSync(stored, { chunkSize: Math.max(64, size + 1), maxOutputLength: size + 1 });
  }
}

function isStored({ columns }: BlockHead, name: string): boolean {
  const own = name === 'url' || name === 'path' ? 'target' : name;
  return columns[own] !== undefined && (name !== 'url' || columns['origin'] !== undefined);
}

/** The last of some rising numbers that is not above a number. */
function placeOf(starts: Float64Array, row: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= row) low = middle;
    else high = middle - 1;
  }
  return low;
}
