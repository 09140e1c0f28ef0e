import { refuseUnknownOptions } from '#coded-error';
import { resolve } from 'node:path';
import { appendRecords, packRecords } from './append-records.js';
import { changeRecords } from './change-records.js';
import { countTotals } from './count-totals.js';
import { PostgresDatabase } from './postgres-database.js';
import { findRecord, listRecords } from './read-records.js';
import type { RecordStore, Retention, StoreAnswer, StoreOptions, StoreWrite } from './record-store.js';
import { applyRetention } from './remove-records.js';
import type { SqlDatabase, Tables, WriteOptions } from './sql-database.js';
import { SqliteDatabase } from './sqlite-database.js';
import { storeErrors } from './store-errors.js';
import { readMeta, type StoreMeta } from './store-meta.js';
import { isServerAddress, storeNameOf } from './store-name.js';

/** Bounds of a profiler that is given none; those of an application are in `recording-settings.ts`. */
export const defaultRetention: Retention = {
  records: 10_000,
  ageMs: 7 * 24 * 60 * 60 * 1000,
  bytes: 256 * 1024 * 1024,
  profilerRecords: 100,
};

/**
 * Opens the store at an address (`PROFILER_STORE`): `sqlite:` and a path (relative to the working directory),
 * `postgres://…`, or `memory:`. Throws `PROFILER_STORE_ADDRESS` for any other address. Nothing is opened or created before the
 * first call of the store.
 */
export function openStore(address: string, options: StoreOptions = {}): RecordStore {
  refuseUnknownOptions('openStore()', options, 'isReadOnly busyMs driver', {
    retention: { records: true, ageMs: true, bytes: true, profilerRecords: true },
  });
  const retention = { ...defaultRetention, ...options.retention };
  return storeOf(openDatabase(address, options, retention.bytes), retention);
}

function openDatabase(address: string, options: StoreOptions, maxBytes: number): SqlDatabase {
  const { isReadOnly, driver, busyMs = 2000 } = options;
  if (address === 'memory:') return new SqliteDatabase({ path: ':memory:', driver, busyMs, maxBytes });
  if (isServerAddress(address)) return new PostgresDatabase({ address, isReadOnly });
  const path = address.startsWith('sqlite:')
    ? address.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, '')
    : '';
  if (path === '' || path.startsWith('//'))
    throw storeErrors.create('PROFILER_STORE_ADDRESS', { value: storeNameOf(address) });
  return new SqliteDatabase({ path: resolve(path), driver, isReadOnly, busyMs, maxBytes });
}

/** Returns the store that keeps its records in the tables of a database. */
function storeOf(database: SqlDatabase, retention: Retention): RecordStore {
  const change = <Result>(
    work: (tables: Tables, meta: StoreMeta) => Promise<Result>,
    options: WriteOptions,
  ): Promise<Result> =>
    database.write(async (tables) => {
      const meta = await readMeta(tables);
      const result = await work(tables, meta);
      await meta.save(tables);
      return result;
    }, options);

  const append = async ({ records, reserve = 0, waiting }: StoreWrite): Promise<StoreAnswer> => {
    const batches = packRecords(records);
    const unknown = records.length - batches.reduce((sum, { rows }) => sum + rows.length, 0);
    const answer = await change(
      async (tables, meta) => {
        const refused = unknown + (await appendRecords(tables, meta, batches));
        const from = meta.get('next');
        meta.set('next', from + reserve);
        const bytes = await applyRetention(tables, meta, retention, waiting);
        const stored = meta.get('app') + meta.get('profiler') + meta.get('marked');
        const reserved = reserve === 0 ? {} : { reserved: { from, to: from + reserve } };
        return { refused, tally: { records: stored, bytes }, ...reserved };
      },
      // An id that was given out must not be given out again; records need not wait for the disk, which may take long.
      { isOnDisk: reserve > 0 },
    );
    const { notice } = database;
    database.notice = undefined;
    return notice === undefined ? answer : { ...answer, tally: { ...answer.tally, notice } };
  };

  return {
    append,
    find: (id) => database.read((tables) => findRecord(tables, id)),
    list: (search) => database.read((tables) => listRecords(tables, search)),
    totals: (query) => database.read((tables) => countTotals(tables, query)),
    update: (target, made) =>
      change((tables, meta) => changeRecords(tables, meta, target, made), { isOnDisk: true }),
    close: () => database.close(),
  };
}
