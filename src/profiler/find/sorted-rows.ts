import type { ProfileSort } from '../model/profile-query.js';
import type { StorePage, StoreSearch } from '../model/profile-store.js';
import {
  type AnySegments,
  type FoundRows,
  prepareSearch,
  type RowColumns,
  type SegmentRows,
} from './find-rows.js';
import { ownValue } from './own-value.js';
import { compareRanks } from './ranks.js';
import { startDeadline } from './search-deadline.js';

/** A row with its sort value and key, and where to read it. */
interface Ranked {
  readonly value: number;
  readonly key: number;
  readonly index: number;
  readonly rows: RowColumns;
}

/** Number of additional rows that are gathered before they are sorted. */
const maxGathered = 1000;

/**
 * Searches segments for the first rows in the order of a numeric column. The facts show the best value that each segment
 * may contain. Segments are read in the order of that value, until no other segment can contribute to the page.
 */
export async function searchSorted(
  segments: AnySegments,
  search: StoreSearch,
  sort: ProfileSort,
): Promise<StorePage> {
  const { limit } = search;
  const { find, prefetch } = prepareSearch(search);
  const deadline = startDeadline();
  const ordered: { readonly segment: SegmentRows; readonly best: number }[] = [];
  for await (const segment of segments) ordered.push({ segment, best: bestOf(segment, sort) });
  ordered.sort((a, b) => (sort.isAscending ? a.best - b.best : b.best - a.best));
  const page = new RankedPage(search, sort);
  const candidates = function* (): Iterable<SegmentRows> {
    for (const { segment, best } of ordered) {
      if (page.isBehind(best)) return;
      if (!page.isBehind(best, segment.greatestKey)) yield segment;
    }
  };
  let complete = true;
  for await (const segment of prefetch(candidates(), { columns: [sort.column] })) {
    const found = find(segment);
    if (found === undefined) continue;
    page.add(found);
    complete = !deadline.isOver();
    if (!complete) break;
    await deadline.yieldIfDue();
  }
  return { ...(await page.rows(limit)), complete };
}

/** The first rows of an order, plus one that shows whether there is a next page. */
class RankedPage {
  readonly #sort: ProfileSort;
  readonly #behind: StoreSearch['behind'];
  readonly #maxRows: number;
  #page: Ranked[] = [];
  /** The last row, if the page is full. */
  #last: Ranked | undefined;

  constructor({ behind, limit }: StoreSearch, sort: ProfileSort) {
    this.#sort = sort;
    this.#behind = behind;
    this.#maxRows = limit + 1;
  }

  /** Returns whether the page is full and rows with this value, and keys up to `greatestKey`, would sort after it. */
  isBehind(value: number, greatestKey = Number.POSITIVE_INFINITY): boolean {
    const last = this.#last;
    if (last === undefined) return false;
    if (value === last.value) return greatestKey < last.key;
    return this.#sort.isAscending ? value > last.value : value < last.value;
  }

  add({ rows, indexes }: FoundRows): void {
    const values = rows.column(this.#sort.column).numbers((indexes[0] ?? -1) + 1);
    const sign = this.#sort.isAscending ? 1 : -1;
    let bound = this.#bound();
    for (const index of indexes) {
      const value = values[index] ?? 0;
      if (value * sign > bound) continue;
      const row = { value, key: rows.key(index), index, rows };
      if (this.#behind !== undefined && compareRanks(this.#sort, this.#behind, row) >= 0) continue;
      if (this.isBehind(value, row.key)) continue;
      this.#page.push(row);
      if (this.#page.length < this.#maxRows + maxGathered) continue;
      this.#order();
      bound = this.#bound();
    }
    this.#order();
  }

  /** Returns the worst value of a row that can still enter the page, negated for descending order. */
  #bound(): number {
    const value = this.#last?.value ?? Number.POSITIVE_INFINITY;
    return this.#sort.isAscending || this.#last === undefined ? value : -value;
  }

  /** Reads at most `limit` rows of the page; the rows of a segment are read together. */
  async rows(limit: number): Promise<Pick<StorePage, 'rows' | 'next'>> {
    const page = this.#page.slice(0, limit);
    const reads = [...new Set(page.map((row) => row.rows))].map(async (rows) => {
      const own = page.filter((row) => row.rows === rows).map(({ index }) => index);
      return rows.rows(own.toSorted((a, b) => b - a));
    });
    const found = new Map((await Promise.all(reads)).flat().map((row) => [row.key, row]));
    return {
      rows: page.flatMap(({ key }) => found.get(key) ?? []),
      next: this.#page.length > limit ? (page.at(-1)?.key ?? null) : null,
    };
  }

  #order(): void {
    this.#page = this.#page.sort((a, b) => compareRanks(this.#sort, a, b)).slice(0, this.#maxRows);
    this.#last = this.#page[this.#maxRows - 1];
  }
}

/** Returns the best value in the sort order that the segment may contain. */
function bestOf({ startedAt, closedAt, facts }: SegmentRows, { column, isAscending }: ProfileSort): number {
  if (column === 'startedAt') return isAscending ? startedAt : closedAt;
  const fact = ownValue(facts, column);
  if (fact === undefined) return isAscending ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  if (!('values' in fact)) return isAscending ? fact.least : fact.greatest;
  const values = fact.values.map(Number);
  return isAscending ? Math.min(...values) : Math.max(...values);
}
