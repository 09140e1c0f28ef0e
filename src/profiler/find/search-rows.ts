import type { StoredSummary, StorePage, StoreSearch } from '../model/profile-store.js';
import { prepareFinding, type SegmentRows } from './find-rows.js';
import { startTurns } from './search-turns.js';

/**
 * Searches segments, newest first, in the order that is asked for. Reads only the columns that the query asks about, and
 * summaries of what it found; gives way to others every few milliseconds, and stops after some time with a page that says so.
 */
export async function searchSegments(
  segments: Iterable<SegmentRows>,
  search: StoreSearch,
): Promise<StorePage> {
  const { sort } = search.query;
  if (sort === undefined) return searchRows(segments, search);
  const { searchSorted } = await import('./total-rows.js'); // few lists are sorted
  return searchSorted(segments, search, sort);
}

async function searchRows(
  segments: Iterable<SegmentRows>,
  { key, limit, ...asked }: StoreSearch,
): Promise<StorePage> {
  const { find } = prepareFinding(asked);
  const rows: StoredSummary[] = [];
  const turns = startTurns();
  for (const segment of segments) {
    const found = find(segment);
    if (found === undefined) continue;
    const { rows: from } = found;
    const indexes =
      key === undefined ? found.indexes : found.indexes.filter((index) => from.key(index) === key);
    // One more than asked for: there is a next page.
    rows.push(...from.rows(indexes.slice(0, limit + 1 - rows.length)));
    if (rows.length > limit)
      return { rows: rows.slice(0, limit), next: rows[limit - 1]?.key ?? null, complete: true };
    if (turns.isOver()) return { rows, next: from.key(segment.from), complete: false };
    await turns.pass();
  }
  return { rows, next: null, complete: true };
}
