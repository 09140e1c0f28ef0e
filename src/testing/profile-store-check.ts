import type { ProfileStore, Segment, StorePage, StoreSearch } from '#profiler';
import { makeSegment } from './make-segment.js';

/** What a store promises, each found out on an empty store of its own. */
export type StorePromises = Readonly<Record<string, (store: ProfileStore) => Promise<void>>>;

/** A segment of one request for each key: `/number/0`, `/number/1` … */
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
