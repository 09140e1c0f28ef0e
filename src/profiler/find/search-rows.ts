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

async function searchRows(segments: Iterable<SegmentRows>, search: StoreSearch): Promise<StorePage> {
  const { find } = prepareFinding(search);
  const rows: StoredSummary[] = [];
  const turns = startTurns();
  for (const segment of segments) {
    const found = find(segment);
    if (found === undefined) continue;
    const { reader, keys, indexes } = found;
    for (const index of indexes) {
      const key = keys[index] ?? -1;
      if (search.key !== undefined && search.key !== key) continue;
      // One more than asked for: there is a next page.
      if (rows.length >= search.limit) return { rows, next: rows.at(-1)?.key ?? null, complete: true };
      rows.push(reader.row(index, key));
    }
    if (turns.isOver()) return { rows, next: keys[segment.from] ?? null, complete: false };
    await turns.pass();
  }
  return { rows, next: null, complete: true };
}
