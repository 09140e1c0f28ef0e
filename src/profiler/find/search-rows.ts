import type { StoredSummary, StorePage, StoreSearch } from '../model/profile-store.js';
import { type AnySegments, prepareSearch, type RowColumns } from './find-rows.js';
import { startDeadline } from './search-deadline.js';

/**
 * Searches segments, which are given newest first, and returns a page in the requested order. Reads only the columns that
 * the query names and the summaries of the rows it found. Yields to the event loop every few milliseconds, and stops at a
 * time limit with an incomplete page.
 */
export async function searchSegments(segments: AnySegments, search: StoreSearch): Promise<StorePage> {
  const { sort } = search.query;
  if (sort === undefined) return searchRows(segments, search);
  const { searchSorted } = await import('./total-rows.js'); // few lists are sorted
  return searchSorted(segments, search, sort);
}

async function searchRows(segments: AnySegments, { key, limit, ...search }: StoreSearch): Promise<StorePage> {
  const { find, prefetch } = prepareSearch(search);
  const pages: (() => ReturnType<RowColumns['rows']>)[] = [];
  let [count, last]: [number, number | null] = [0, null];
  const deadline = startDeadline();
  const read = async (): Promise<readonly StoredSummary[]> =>
    (await Promise.all(pages.map(async (one) => one()))).flat();
  for await (const segment of prefetch(segments)) {
    const found = find(segment);
    if (found === undefined) continue;
    const { rows: from } = found;
    const indexes =
      key === undefined ? found.indexes : found.indexes.filter((index) => from.key(index) === key);
    const taken = indexes.slice(0, limit - Math.min(limit, count));
    count += indexes.length;
    if (taken.length > 0) {
      last = from.key(taken.at(-1) ?? -1);
      pages.push(() => from.rows(taken));
    }
    if (count > limit) return { rows: await read(), next: last, complete: true };
    if (deadline.isOver()) return { rows: await read(), next: from.key(segment.from), complete: false };
    await deadline.yieldIfDue();
  }
  return { rows: await read(), next: null, complete: true };
}
