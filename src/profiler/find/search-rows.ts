import type { StoredSummary, StorePage, StoreSearch } from '../model/profile-store.js';
import { type AnySegments, prepareFinding, type RowColumns } from './find-rows.js';
import { startTurns } from './search-turns.js';

/**
 * Searches segments, newest first, in the requested order. Reads only the columns that the query names, and
 * summaries of what it found; gives way to others every few milliseconds, and stops after some time with a page that says so.
 */
export async function searchSegments(segments: AnySegments, search: StoreSearch): Promise<StorePage> {
  const { sort } = search.query;
  if (sort === undefined) return searchRows(segments, search);
  const { searchSorted } = await import('./total-rows.js'); // few lists are sorted
  return searchSorted(segments, search, sort);
}

async function searchRows(segments: AnySegments, { key, limit, ...asked }: StoreSearch): Promise<StorePage> {
  const { find, ahead } = prepareFinding(asked);
  const pages: (() => ReturnType<RowColumns['rows']>)[] = [];
  let [count, last]: [number, number | null] = [0, null];
  const turns = startTurns();
  const read = async (): Promise<readonly StoredSummary[]> =>
    (await Promise.all(pages.map(async (one) => one()))).flat();
  for await (const segment of ahead(segments)) {
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
    if (turns.isOver()) return { rows: await read(), next: from.key(segment.from), complete: false };
    await turns.pass();
  }
  return { rows: await read(), next: null, complete: true };
}
