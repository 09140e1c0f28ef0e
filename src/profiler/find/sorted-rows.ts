import type { ProfileSort } from '../model/profile-query.js';
import type { StorePage, StoreSearch } from '../model/profile-store.js';
import type { SummaryReader } from '../form/summary-reader.js';
import { prepareFinding, type SegmentRows } from './find-rows.js';
import { compareRanks } from './ranks.js';
import { startTurns } from './search-turns.js';

/** A row among those of an order: how it compares, and how it is read. */
interface Ranked {
  readonly value: number;
  readonly key: number;
  readonly index: number;
  readonly reader: SummaryReader;
}

/**
 * Searches segments for the first rows of an order by a column of numbers. What the segments may hold at best is known
 * of their facts: they are read from the best on, until no other can have a row that belongs to the page.
 */
export async function searchSorted(
  segments: Iterable<SegmentRows>,
  search: StoreSearch,
  sort: ProfileSort,
): Promise<StorePage> {
  const { behind, limit } = search;
  const { find } = prepareFinding(search);
  const turns = startTurns();
  const ordered = [...segments]
    .map((segment) => ({ segment, best: bestOf(segment, sort) }))
    .sort((a, b) => (sort.isAscending ? a.best - b.best : b.best - a.best));
  let page: Ranked[] = [];
  let complete = true;
  for (const { segment, best } of ordered) {
    const last = page[limit];
    if (last !== undefined && (sort.isAscending ? best > last.value : best < last.value)) break;
    const found = find(segment);
    if (found === undefined) continue;
    const { reader, keys, indexes } = found;
    const values = reader.column(sort.column);
    const ranked = indexes
      .map((index) => ({ value: Number(values[index] ?? 0), key: keys[index] ?? -1, index, reader }))
      .filter((row) => behind === undefined || compareRanks(sort, behind, row) < 0);
    // One more than asked for: there is a next page.
    if (ranked.length > 0)
      page = [...page, ...ranked].sort((a, b) => compareRanks(sort, a, b)).slice(0, limit + 1);
    if (turns.isOver()) {
      complete = false;
      break;
    }
    await turns.pass();
  }
  const rows = page.slice(0, limit).map(({ reader, index, key }) => reader.row(index, key));
  return { rows, next: page.length > limit ? (rows.at(-1)?.key ?? null) : null, complete };
}

/** The value that stands first in the order of all that the segment may have. */
function bestOf({ startedAt, closedAt, facts }: SegmentRows, { column, isAscending }: ProfileSort): number {
  if (column === 'startedAt') return isAscending ? startedAt : closedAt;
  const fact = facts[column];
  if (fact === undefined) return isAscending ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  if (!('values' in fact)) return isAscending ? fact.least : fact.greatest;
  const values = fact.values.map(Number);
  return isAscending ? Math.min(...values) : Math.max(...values);
}
