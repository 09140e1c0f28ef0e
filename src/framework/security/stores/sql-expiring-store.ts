import { checkValue, objectWith } from '#core/options';
import { loadOnce } from '#core/patches';
import { runAsOwnWork } from '#core/scope';
import {
  checkLifetime,
  checkSlots,
  type ExpiringStore,
  type ExpiringStoreOptions,
  prefixOf,
  wholeLifetime,
} from './expiring-store.js';

/** Writes between deletions of expired entries. */
const sweepInterval = 500;

interface ExpiringSqlDialect {
  readonly name: string;
  readonly table: string;
  /** SQL for the database's clock in whole milliseconds: clocks differ between the machines that share it. */
  readonly now: string;
  /** Runs a statement with parameters `$1` … and returns its first row. Every statement is atomic. */
  run(sql: string, values: readonly (string | number)[]): unknown;
}

interface Row {
  readonly value: string;
  readonly kept: number;
  /** A bigint, which `pg` returns as a string. */
  readonly ends_in: number | string;
}

/** Creates a store in one table, with `ON CONFLICT` and `RETURNING`. Each operation is one statement. */
function createSqlStore(dialect: ExpiringSqlDialect): ExpiringStore {
  const sql = statements(dialect);
  let writes = 0;
  const run = async (text: string, ...values: (string | number)[]): Promise<Row | undefined> =>
    (await dialect.run(text, values)) as Row | undefined; // the statements below return these columns
  const write: typeof run = async (text, ...values) => {
    if (writes++ % sweepInterval === 0) await run(sql.sweep);
    return run(text, ...values);
  };
  return {
    name: dialect.name,
    async get(key) {
      const row = await run(sql.get, key);
      return row && { value: row.value, endsIn: Number(row.ends_in) };
    },
    async put(key, value, { lifetime, expected }) {
      checkLifetime('put', lifetime);
      const values = [key, value, wholeLifetime(lifetime)];
      if (typeof expected === 'string') return (await write(sql.replace, ...values, expected)) !== undefined;
      return (await write(expected === null ? sql.insert : sql.put, ...values)) !== undefined;
    },
    async remove(key, expected) {
      const removed = expected === undefined ? run(sql.remove, key) : run(sql.removeValue, key, expected);
      return (await removed) !== undefined;
    },
    async extend(key, lifetime) {
      checkLifetime('extend', lifetime);
      await run(sql.extend, key, wholeLifetime(lifetime));
    },
    async take(key, limit, lifetime) {
      checkSlots(limit, lifetime);
      const taken = await write(sql.take, key, limit, wholeLifetime(lifetime));
      const row = taken ?? (await run(sql.get, key));
      return {
        isTaken: taken !== undefined,
        kept: row?.kept ?? 0,
        endsIn: Math.max(0, Number(row?.ends_in ?? 0)),
      };
    },
    async settle(key, how) {
      await run(sql.settle, key, how === 'clear' ? 0 : 1, how === 'keep' ? 1 : 0);
    },
  };
}

/** Returns the SQL that creates the table and its indexes, for both databases. */
function tableSchema(table: string): string {
  return `CREATE TABLE IF NOT EXISTS ${table} (
      key text PRIMARY KEY, value text NOT NULL, kept integer NOT NULL, pending integer NOT NULL, ends_at bigint NOT NULL);
    CREATE INDEX IF NOT EXISTS ${table}_end ON ${table} (ends_at);`;
}

function statements({ table, now }: ExpiringSqlDialect) {
  const isCurrent = `key = $1 AND ends_at > ${now}`;
  const isOver = `e.ends_at <= ${now}`;
  const columns = `(key, value, kept, pending, ends_at)`;
  const put = `INSERT INTO ${table} AS e ${columns} VALUES ($1, $2, 0, 0, ${now} + CAST($3 AS bigint))
    ON CONFLICT (key) DO UPDATE SET value = excluded.value, kept = 0, pending = 0, ends_at = excluded.ends_at`;
  return {
    get: `SELECT value, kept, ends_at - ${now} AS ends_in FROM ${table} WHERE ${isCurrent}`,
    put: `${put} RETURNING 1 AS done`,
    insert: `${put} WHERE ${isOver} RETURNING 1 AS done`,
    replace: `UPDATE ${table} SET value = $2, kept = 0, pending = 0, ends_at = ${now} + CAST($3 AS bigint)
      WHERE ${isCurrent} AND value = $4 RETURNING 1 AS done`,
    remove: `DELETE FROM ${table} WHERE ${isCurrent} RETURNING 1 AS done`,
    removeValue: `DELETE FROM ${table} WHERE ${isCurrent} AND value = $2 RETURNING 1 AS done`,
    extend: `UPDATE ${table} SET ends_at = ${now} + CAST($2 AS bigint) WHERE ${isCurrent}`,
    take: `INSERT INTO ${table} AS e ${columns} VALUES ($1, '', 0, 1, ${now} + CAST($3 AS bigint))
      ON CONFLICT (key) DO UPDATE SET value = CASE WHEN ${isOver} THEN '' ELSE e.value END,
        kept = CASE WHEN ${isOver} THEN 0 ELSE e.kept END,
        pending = CASE WHEN ${isOver} THEN 1 ELSE e.pending + 1 END,
        ends_at = CASE WHEN ${isOver} THEN excluded.ends_at ELSE e.ends_at END
      WHERE ${isOver} OR e.kept + e.pending < CAST($2 AS integer)
      RETURNING kept, ends_at - ${now} AS ends_in`,
    settle: `UPDATE ${table} SET kept = kept * CAST($2 AS integer) + CAST($3 AS integer),
        pending = CASE WHEN pending > 0 THEN pending - 1 ELSE 0 END WHERE ${isCurrent}`,
    sweep: `DELETE FROM ${table} WHERE ends_at <= ${now}`,
  };
}

/** The part of a `pg` pool's or client's API that is used. */
interface PostgresClient {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[]; rowCount: number | null }>;
}

/** Id of the advisory lock under which the table is created, so that processes do not create it concurrently. */
const schemaLock = 7_046_029_254;

const postgresClient = objectWith<PostgresClient>('a Pool or Client of pg', 'query');

/** Creates a store in PostgreSQL, shared by all processes. The table is created on first use if it is missing. */
export function createPostgresExpiringStore(
  client: PostgresClient,
  options: ExpiringStoreOptions = {},
): ExpiringStore {
  const table = `${prefixOf('createPostgresExpiringStore()', options)}_expiring`;
  checkValue('createPostgresExpiringStore()', 'client', client, postgresClient);
  const prepare = loadOnce(() =>
    client.query(`SELECT pg_advisory_xact_lock(${schemaLock}); ${tableSchema(table)}`),
  );
  return createSqlStore({
    name: 'postgres',
    table,
    now: `(extract(epoch FROM clock_timestamp()) * 1000)::bigint`,
    run: (sql, values) =>
      runAsOwnWork(async () => {
        await prepare();
        return (await client.query(sql, [...values])).rows[0];
      }),
  });
}

/** The part of `node:sqlite` that is used: accepts the `DatabaseSync` from Node and from `@photostructure/sqlite`. */
interface SqliteClient {
  exec(sql: string): void;
  prepare(sql: string): {
    get(...values: (string | number)[]): unknown;
    run(...values: (string | number)[]): { changes: number | bigint };
  };
}

const sqliteClient = objectWith<SqliteClient>('a DatabaseSync of node:sqlite', 'exec', 'prepare');

/** Creates a store in an SQLite file, which several processes may share. The table is created if it is missing. */
export function createSqliteExpiringStore(
  database: SqliteClient,
  options: ExpiringStoreOptions = {},
): ExpiringStore {
  const table = `${prefixOf('createSqliteExpiringStore()', options)}_expiring`;
  checkValue('createSqliteExpiringStore()', 'database', database, sqliteClient);
  database.exec(tableSchema(table));
  const prepared = new Map<string, ReturnType<SqliteClient['prepare']>>();
  return createSqlStore({
    name: 'sqlite',
    table,
    now: `CAST((julianday('now') - 2440587.5) * 86400000 AS integer)`,
    run(sql, values) {
      let statement = prepared.get(sql);
      if (statement === undefined)
        prepared.set(sql, (statement = database.prepare(sql.replace(/\$(?=\d)/g, '?'))));
      const known = statement;
      return runAsOwnWork(() => known.get(...values));
    },
  });
}
