import type { ProfileStore, Retention } from '../model/profile-store.js';
import { createMemoryStore } from './create-memory-store.js';
import { createSqliteStore, type SqliteStoreOptions } from './sqlite/create-sqlite-store.js';
import { storeErrors } from './policy/error-codes.js';
import { defaultRetention } from './policy/retention.js';
import { identifyProcess } from './remote/remote-store.js';
import { isServerAddress, storeNameOf } from './store-name.js';
import { ThreadedStore } from './thread/threaded-store.js';

export { isStoreAddress, storeNameOf } from './store-name.js';

/**
 * Creates the store for an address (`PROFILER_STORE`): `sqlite:` and a path (relative to the working directory),
 * `postgres://…`, `redis://…` or `memory:`. Throws `PROFILER_STORE_ADDRESS` for any other address.
 */
export function createStore(
  address: string,
  retention: Partial<Retention> = {},
  options: Pick<SqliteStoreOptions, 'isReadOnly'> = {},
): ProfileStore {
  if (address === 'memory:') return createMemoryStore(retention);
  if (isServerAddress(address)) return createRemoteStore(address, retention);
  const path = address.startsWith('sqlite:')
    ? address.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, '')
    : '';
  if (path === '' || path.startsWith('//'))
    throw storeErrors.create('PROFILER_STORE_ADDRESS', { value: storeNameOf(address) });
  return createSqliteStore(path, { retention, ...options });
}

function createRemoteStore(address: string, retention: Partial<Retention>): ProfileStore {
  return new ThreadedStore(address.startsWith('postgres') ? 'postgres' : 'redis', {
    address,
    name: storeNameOf(address),
    retention: { ...defaultRetention, ...retention },
    process: identifyProcess(),
  });
}
