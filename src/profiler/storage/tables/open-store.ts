import {
  checkOptions,
  checkValue,
  flag,
  type OptionsSchema,
  optionsSchema,
  readOptions,
  secret,
  text,
} from '#core/options';
import { changeRecords, applyRetention } from './change-records.js';
import { countTotals } from './count-totals.js';
import { PostgresDatabase } from './postgres-database.js';
import { findRecord, listRecords, compress } from './read-records.js';
import type { RecordStore, StoreAnswer, StoreOptions, StoreWrite, FinishedRecord } from './record-store.js';
import { type Retention, retentionSchema } from './retention.js';
import type { SqlDatabase, Tables, WriteOptions } from './sql-database.js';
import { SqliteDatabase } from './sqlite-database.js';
import { storeErrors } from './store-errors.js';
import { readMeta, routesName, type StoreMeta, placesOfBatch } from './table-schema.js';
import { filePathOf, isServerAddress, storeNameOf } from './store-name.js';
import { idOf, isRandomId } from '../../encoding/token.js';
import { parseStoredRoutes } from '../../model/declared-routes.js';
import { listColumns, toStoredText, valuesOf } from '../../model/profile-summary.js';
import type { RecordOrigin } from '../../model/profile-record.js';

export const storeSchema: OptionsSchema<StoreOptions> = optionsSchema<StoreOptions>({
  retention: retentionSchema,
  isReadOnly: flag,
  driver: text,
});

/**
 * Opens the store at an address (`PROFILER_STORE`): `sqlite:` and a path (relative to the working directory),
 * `postgres://…`, or `memory:`. Throws `PROFILER_STORE_ADDRESS` for any other address. Nothing is opened or created
 * before the first call to the store.
 */
export function openStore(address: string, options: StoreOptions = {}): RecordStore {
  checkValue('openStore()', 'address', address, secret(text));
  checkOptions('openStore()', options, storeSchema);
  const retention = readOptions('openStore(): retention', options.retention, retentionSchema);
  return storeOf(openDatabase(address, options, retention.bytes), retention);
}

function openDatabase(address: string, options: StoreOptions, maxBytes: number): SqlDatabase {
  const { isReadOnly, driver } = options;
  if (address === 'memory:') return new SqliteDatabase({ path: ':memory:', driver, maxBytes });
  if (isServerAddress(address)) return new PostgresDatabase({ address, isReadOnly });
  const path = filePathOf(address);
  if (path === undefined) throw storeErrors.create('PROFILER_STORE_ADDRESS', { value: storeNameOf(address) });
  return new SqliteDatabase({ path, driver, isReadOnly, maxBytes });
}

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
        const stored = meta.get('app') + meta.get('profiler') + meta.get('marked') + meta.get('kept');
        const reserved = reserve === 0 ? {} : { reserved: { from, to: from + reserve } };
        return { refused, tally: { records: stored, bytes }, ...reserved };
      },
      // Ids must never be reused, so reserving them is durable; records need not wait for the disk.
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
    putRoutes: (table) =>
      database.write(
        async ({ run }) => {
          await run(
            `INSERT INTO @meta (name, value) VALUES ('${routesName}', $1)
             ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
            [toStoredText(JSON.stringify(table))],
          );
        },
        { isOnDisk: false },
      ),
    routes: () =>
      database.read(async ({ run }) => {
        const [row] = await run(`SELECT value FROM @meta WHERE name = '${routesName}'`);
        return row === undefined ? undefined : parseStoredRoutes(String(row['value']));
      }),
    close: () => database.close(),
  };
}

/** Maximum records and JSON characters per batch: reading one record inflates the whole batch. */
const maxBatch = { records: 64, characters: 1024 * 1024 };
/** Estimated bytes of a row including its index entries. */
const rowBytes = 500;

interface Batch {
  readonly origin: RecordOrigin;
  readonly rows: readonly { readonly id: number; readonly values: readonly unknown[] }[];
  readonly data: Uint8Array;
}

/** Divides records into batches. Skips records with malformed tokens. */
export function packRecords(records: readonly FinishedRecord[]): readonly Batch[] {
  return (['app', 'profiler'] as const).flatMap((origin) => {
    const batches: Batch[] = [];
    let [rows, lines, characters]: [Batch['rows'][number][], string[], number] = [[], [], 0];
    const finish = (): void => {
      if (rows.length > 0) batches.push({ origin, rows, data: compress(lines) });
      [rows, lines, characters] = [[], [], 0];
    };
    for (const { record, summary } of records) {
      const id = idOf(record.token);
      if (record.origin !== origin || id === undefined) continue;
      const line = JSON.stringify(record);
      if (rows.length === maxBatch.records || characters + line.length > maxBatch.characters) finish();
      rows.push({ id, values: [...valuesOf(summary), JSON.stringify(summary.collected)] });
      lines.push(line);
      characters += line.length;
    }
    finish();
    return batches;
  });
}

/** Stores records. Returns how many were refused because their token belongs to another record. */
export async function appendRecords(
  tables: Tables,
  meta: StoreMeta,
  batches: readonly Batch[],
): Promise<number> {
  let refused = 0;
  for (const batch of batches) {
    const fresh = await insertBatch(tables, meta, batch);
    for (const row of batch.rows) {
      if (!fresh.has(row.id) && (await isForeign(tables, row))) refused++;
      if (!isRandomId(row.id)) meta.set('next', Math.max(meta.get('next'), row.id + 1));
    }
  }
  return refused;
}

const columns = ['position', 'id', ...listColumns.map(({ name }) => name), 'numbers'];
async function insertBatch(
  { run, now, rowsPerInsert }: Tables,
  meta: StoreMeta,
  { origin, rows, data }: Batch,
): Promise<ReadonlySet<number>> {
  meta.add('batch', 1);
  const batch = meta.get('batch');
  const fresh = new Set<number>();
  for (let from = 0; from < rows.length; from += rowsPerInsert) {
    const given: unknown[] = [];
    const places = rows.slice(from, from + rowsPerInsert).map(({ id, values }, row) => {
      const all = [batch * placesOfBatch + from + row, id, ...values];
      return `(${all.map((value) => `$${given.push(value)}`).join(', ')})`;
    });
    const inserted = await run(
      `INSERT INTO @record (${columns.join(', ')}) VALUES ${places.join(', ')}
       ON CONFLICT (id) DO NOTHING RETURNING id`,
      given,
    );
    for (const { id } of inserted) fresh.add(Number(id));
  }
  if (fresh.size === 0) return fresh;
  const bytes = data.length + rows.length * rowBytes;
  await run(`INSERT INTO @batch (id, written_at, bytes, data) VALUES ($1, ${now}, $2, $3)`, [
    batch,
    bytes,
    data,
  ]);
  meta.add('bytes', bytes);
  meta.add(origin, fresh.size);
  return fresh;
}

/**
 * Returns whether the id of a row that was not inserted belongs to another record; otherwise an earlier attempt has
 * stored it.
 */
async function isForeign({ run }: Tables, { id, values }: Batch['rows'][number]): Promise<boolean> {
  const [found] = await run('SELECT url, sequence FROM @record WHERE id = $1', [id]);
  return ['url', 'sequence'].some((name) => found?.[name] !== values[columns.indexOf(name) - 2]);
}
