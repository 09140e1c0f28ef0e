import type { ProfileStore, Retention, Segment, StorePage, StoreSearch } from '#profiler';
import type { ContractCase } from './contract-case.js';
import { makeSegment } from './make-segment.js';

/** Makes a case of the contract, which runs on an empty store of its own. */
export type Check = (
  name: string,
  run: (store: ProfileStore) => Promise<void>,
  retention?: Partial<Retention>,
) => ContractCase;

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
