import type { ProfileStore, Segment, StorePage, StoreSearch } from '#profiler';
import { makeSegment } from './make-segment.js';

/** Contract cases by name; each is called with its own empty store. */
export type StoreCases = Readonly<Record<string, (store: ProfileStore) => Promise<void>>>;

/** Creates a segment with one request for each key: `/number/0`, `/number/1` … */
export async function segment(number: number, keys: readonly number[], status = 200): Promise<Segment> {
  const made = await makeSegment(keys.map((_, index) => ({ path: `/${number}/${index}`, status })));
  return { ...made, number, keys };
}

export function collect(store: ProfileStore, search: Partial<StoreSearch> = {}): Promise<StorePage> {
  return store.search({ query: {}, limit: 100, ...search });
}

export function keysOf({ rows }: Pick<StorePage, 'rows'>): number[] {
  return rows.map(({ key }) => key);
}
