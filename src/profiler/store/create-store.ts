import type { ProfileStore, Retention } from '../model/profile-store.js';
import { createMemoryStore } from './create-memory-store.js';
import { createSqliteStore } from './sqlite/create-sqlite-store.js';
import { storeErrors } from './policy/error-codes.js';

/** Where records are kept unless said otherwise. */
export const defaultStoreAddress = 'sqlite:var/profiler.db';

/**
 * The store of an address (`PROFILER_STORE`): `sqlite:` and a path, relative to the working folder, or `memory:`.
 * Throws `PROFILER_STORE_ADDRESS`.
 */
export function createStore(address: string, retention: Partial<Retention> = {}): ProfileStore {
  if (address === 'memory:') return createMemoryStore(retention);
  const path = address.startsWith('sqlite:')
    ? address.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, '')
    : '';
  if (path === '' || path.startsWith('//'))
    throw storeErrors.create('PROFILER_STORE_ADDRESS', { value: address });
  return createSqliteStore(path, { retention });
}
