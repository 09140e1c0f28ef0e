import { setImmediate as nextTurn } from 'node:timers/promises';
import type { StoredSummary, StorePage, StoreSearch } from '../model/profile-store.js';
import type { SegmentFacts } from '../model/segment-facts.js';
import { SummaryReader } from '../form/summary-reader.js';
import { type Condition, mayMatch, prepareQuery } from './prepare-query.js';

/** Milliseconds of search at one go, and in all. */
const slice = 8;
const whole = 1500;

/** A segment that may be searched: the rows with `from` ≤ index < `to` are there. */
export interface SegmentRows {
  readonly startedAt: number;
  readonly closedAt: number;
  readonly facts: SegmentFacts;
  readonly from: number;
  readonly to: number;
  /** Reads the rest, once it is known that it is needed; undefined where it is gone by now. */
  read(): { readonly keys: readonly number[]; readonly directory: Uint8Array } | undefined;
}

/**
 * Searches segments, newest first. Reads only the columns that the query asks about, and summaries of what it found; gives way
 * to others every few milliseconds, and stops after some time with a page that says so.
 */
export async function searchRows(segments: Iterable<SegmentRows>, search: StoreSearch): Promise<StorePage> {
  const conditions = prepareQuery(search);
  const rows: StoredSummary[] = [];
  const end = performance.now() + whole;
  let sliceEnd = performance.now() + slice;
  for (const segment of segments) {
    if (isOutside(segment, search) || !mayMatch(conditions, segment.facts)) continue;
    const data = segment.read();
    if (data === undefined) continue;
    const reader = new SummaryReader(data.directory);
    for (const index of matching(reader, conditions, { ...segment, keys: data.keys })) {
      const key = data.keys[index] ?? -1;
      if (search.key !== undefined && search.key !== key) continue;
      // One more than asked for: there is a next page.
      if (rows.length >= search.limit) return { rows, next: rows.at(-1)?.key ?? null, complete: true };
      rows.push(reader.row(index, key));
    }
    const now = performance.now();
    if (now < sliceEnd) continue;
    if (now > end) return { rows, next: data.keys[segment.from] ?? null, complete: false };
    await nextTurn();
    sliceEnd = performance.now() + slice;
  }
  return { rows, next: null, complete: true };
}

function isOutside({ startedAt, closedAt }: SegmentRows, { query }: StoreSearch): boolean {
  return closedAt < (query.start ?? 0) || startedAt > (query.end ?? Number.POSITIVE_INFINITY);
}

/** Rows that meet all conditions, newest first: each condition looks at those that met the ones before. */
function matching(
  reader: SummaryReader,
  conditions: readonly Condition[],
  { from, to, keys }: Pick<SegmentRows, 'from' | 'to'> & { readonly keys: readonly number[] },
): readonly number[] {
  let indexes: number[] = [];
  for (let index = Math.min(to, reader.count) - 1; index >= from; index--) indexes.push(index);
  for (const { columns, matches, known } of conditions) {
    if (indexes.length === 0) break;
    const read = columns.map((name) => reader.column(name));
    indexes = indexes.filter((index) =>
      known?.keys.has(keys[index] ?? -1) === true
        ? known.meets
        : matches(...read.map((column) => column[index] ?? null)),
    );
  }
  return indexes;
}
