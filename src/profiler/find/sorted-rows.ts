import type { ProfileSort } from '../model/profile-query.js';
import type { StoredSummary, StorePage, StoreSearch } from '../model/profile-store.js';
import { type FoundRows, prepareFinding, type RowColumns, type SegmentRows } from './find-rows.js';
import { compareRanks } from './ranks.js';
import { startTurns } from './search-turns.js';

/** A row among those of an order: how it compares, and where it is read. */
interface Ranked {
  readonly value: number;
  readonly key: number;
  readonly index: number;
  readonly rows: RowColumns;
}

/** Rows that are gathered before they are put in order. */
const maxGathered = 1000;

/**
 * Searches segments for the first rows of an order by a column of numbers. What the segments may hold at best is known
 * of their facts: they are read from the best on, until no other can have a row that belongs to the page.
 */
export async function searchSorted(
  segments: Iterable<SegmentRows>,
  search: StoreSearch,
  sort: ProfileSort,
): Promise<StorePage> {
  const { limit } = search;
  const { find } = prepareFinding(search);
  const turns = startTurns();
  const ordered = [...segments]
    .map((segment) => ({ segment, best: bestOf(segment, sort) }))
    .sort((a, b) => (sort.isAscending ? a.best - b.best : b.best - a.best));
  const page = new RankedPage(search, sort);
  let complete = true;
  for (const { segment, best } of ordered) {
    if (page.isBehind(best)) break;
    const found = find(segment);
    if (found === undefined) continue;
    page.add(found);
    complete = !turns.isOver();
    if (!complete) break;
    await turns.pass();
  }
  const rows = page.rows();
  return {
    rows: rows.slice(0, limit),
    next: rows.length > limit ? (rows[limit - 1]?.key ?? null) : null,
    complete,
  };
}

/** The first rows of an order, and one more than asked for: there is a next page. */
class RankedPage {
  readonly #sort: ProfileSort;
  readonly #behind: StoreSearch['behind'];
  readonly #most: number;
  #page: Ranked[] = [];
  /** The last row of a page that is full. */
  #last: Ranked | undefined;

  constructor({ behind, limit }: StoreSearch, sort: ProfileSort) {
    this.#sort = sort;
    this.#behind = behind;
    this.#most = limit + 1;
  }

  /** Whether a row of this value would stand behind a page that is full. */
  isBehind(value: number): boolean {
    const last = this.#last;
    return last !== undefined && (this.#sort.isAscending ? value > last.value : value < last.value);
  }

  add({ rows, indexes }: FoundRows): void {
    const values = rows.column(this.#sort.column).numbers((indexes[0] ?? -1) + 1);
    for (const index of indexes) {
      const value = values[index] ?? 0;
      if (this.isBehind(value)) continue;
      const row = { value, key: rows.key(index), index, rows };
      if (this.#behind !== undefined && compareRanks(this.#sort, this.#behind, row) >= 0) continue;
      this.#page.push(row);
      if (this.#page.length >= this.#most + maxGathered) this.#order();
    }
    this.#order();
  }

  /** The rows of each segment are read together. */
  rows(): readonly StoredSummary[] {
    const found = new Map<number, StoredSummary>();
    for (const rows of new Set(this.#page.map((row) => row.rows))) {
      const own = this.#page.filter((row) => row.rows === rows).map(({ index }) => index);
      for (const row of rows.rows(own.toSorted((a, b) => b - a))) found.set(row.key, row);
    }
    return this.#page.flatMap(({ key }) => found.get(key) ?? []);
  }

  #order(): void {
    this.#page = this.#page.sort((a, b) => compareRanks(this.#sort, a, b)).slice(0, this.#most);
    this.#last = this.#page[this.#most - 1];
  }
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
