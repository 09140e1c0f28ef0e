import { refuseUnknownOptions } from '#coded-error';
import { resolve } from 'node:path';
import type { RecordStore, StoreOptions } from './record-store.js';
import { defaultRetention, SqlStore } from './sql-store.js';
import { SqliteDatabase } from './sqlite-database.js';
import { PostgresDatabase } from './postgres-database.js';
import { storeErrors } from './store-errors.js';
import { isServerAddress, storeNameOf } from './store-name.js';

const defaultBusyMs = 2000;

/**
 * Opens the store at an address (`PROFILER_STORE`): `sqlite:` and a path (relative to the working directory),
 * `postgres://…`, or `memory:`. Throws `PROFILER_STORE_ADDRESS` for any other address. Nothing is opened or created before the
 * first call of the store.
 */
export function openStore(address: string, options: StoreOptions = {}): RecordStore {
  refuseUnknownOptions('openStore()', options, 'isReadOnly busyMs driver', {
    retention: { records: true, ageMs: true, bytes: true, profilerRecords: true },
  });
  const { isReadOnly, driver, busyMs = defaultBusyMs, retention } = options;
  const maxBytes = retention?.bytes ?? defaultRetention.bytes;
  if (address === 'memory:')
    return new SqlStore(new SqliteDatabase({ path: ':memory:', driver, busyMs }, maxBytes), options);
  if (/^postgres(?:ql)?:/.test(address) && isServerAddress(address))
    return new SqlStore(new PostgresDatabase({ address, name: storeNameOf(address), isReadOnly }), options);
  const path = address.startsWith('sqlite:')
    ? address.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, '')
    : '';
  if (path === '' || path.startsWith('//'))
    throw storeErrors.create('PROFILER_STORE_ADDRESS', { value: storeNameOf(address) });
  return new SqlStore(
    new SqliteDatabase({ path: resolve(path), driver, isReadOnly, busyMs }, maxBytes),
    options,
  );
}
