import type pg from 'pg';
import { isCodedError } from '#core/coded-error';
import { checkPackage } from '#core/patches';
import type { SqlDatabase, SqlDialect, SqlRow, Tables, WriteOptions } from './sql-database.js';
import { storeErrors, type StoreProblem, toStoreError } from './store-errors.js';
import { storeNameOf } from './store-name.js';
import { checkVersion, newMeta, schemaVersion, tableStatements } from './table-schema.js';

const defaultSchema = 'lookback';
/** Timeouts for connecting and for one statement, in milliseconds. */
const timeoutsMs = { connection: 2000, statement: 5000 };
const maxConnections = 4;
/** Writes nothing, but waits until everything committed before is on disk. Other writers need not wait. */
const commitToDisk = `COMMIT; SELECT pg_logical_emit_message(true, 'lookback', '')`;
/** SQLSTATE codes for a missing table or schema. */
const absentStates: ReadonlySet<string> = new Set(['42P01', '3F000']);

const text = 'text COLLATE "C"'; // compares, and ignores case, by bytes: the same in every database

const dialect: SqlDialect = {
  types: {
    text,
    integer: 'integer',
    id: 'bigint',
    real: 'double precision',
    bytes: 'bytea',
    json: 'jsonb',
  },
  rowsPerInsert: 64,
  now: `(date_part('epoch', clock_timestamp()) * 1000)`,
  floor: (expression) => `floor(${expression})`,
  toReadable: (column) => `to_timestamp(${column} / 1000)`,
  collected: (name) => `(numbers ->> '${name}')::float8`,
  like: (column, pattern) => `${column} ILIKE ${pattern}`,
};

function quote(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`;
}

/** A PostgreSQL schema. Connections are opened on demand, reopened after they break, and held for one transaction. */
export class PostgresDatabase implements SqlDatabase {
  notice: string | undefined;
  readonly #address: string;
  readonly #schema: string;
  /** The address without its password; if `isReadOnly`, the schema is neither created, changed nor renamed. */
  readonly #place: { readonly path: string; readonly isReadOnly: boolean | undefined };
  #pool: Promise<pg.Pool> | undefined;
  #prepared: Promise<void> | undefined;

  constructor({
    address,
    isReadOnly,
  }: {
    readonly address: string;
    readonly isReadOnly: boolean | undefined;
  }) {
    const url = new URL(address);
    this.#schema = url.searchParams.get('schema') ?? defaultSchema;
    url.searchParams.delete('schema');
    this.#address = url.href;
    this.#place = { path: storeNameOf(address), isReadOnly };
  }

  read<Result>(work: (tables: Tables) => Promise<Result>): Promise<Result> {
    return this.#withTables((client) => work(this.#tables(client)));
  }

  write<Result>(work: (tables: Tables) => Promise<Result>, options: WriteOptions): Promise<Result> {
    return this.#withTables((client) => this.#transaction(client, work, options));
  }

  async close(): Promise<void> {
    const pool = await this.#pool?.catch(() => undefined);
    await pool?.end();
  }

  /** Returns the tables as seen by a connection. All names are qualified, so that sessions have no state. */
  #tables(client: pg.PoolClient): Tables {
    const run = async (text: string, values: readonly unknown[] = []): Promise<readonly SqlRow[]> => {
      const qualified = text.replaceAll(
        /@(meta|batch|record|requests)\b/g,
        (_, name: string) => `${quote(this.#schema)}.${name}`,
      );
      return (await client.query<SqlRow>(qualified, [...values])).rows;
    };
    return { ...dialect, run, maxBytes: Number.POSITIVE_INFINITY };
  }

  async #withTables<Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
    for (let attempt = 0; ; attempt++) {
      try {
        this.#prepared ??= this.#withClient((client) => this.#prepare(client));
        await this.#prepared;
        return await this.#withClient(work);
      } catch (error) {
        // The schema may have been removed, or the server may have come back empty, so prepare it again.
        this.#prepared = undefined;
        if (attempt > 0 || !absentStates.has(sqlState(error))) throw error;
      }
    }
  }

  async #withClient<Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
    let client: pg.PoolClient | undefined;
    let failure: unknown;
    try {
      this.#pool ??= openPool(this.#address);
      client = await (await this.#pool).connect();
      return await work(client);
    } catch (error) {
      failure = error;
      throw toStoreError(error, this.#place.path, problemOf);
    } finally {
      // A failed connection may be in any state, even within a transaction, so it is not reused.
      client?.release(failure !== undefined && !isHarmless(failure));
    }
  }

  /** Serializes writers, so that positions are in the order in which they become visible. */
  async #transaction<Result>(
    client: pg.PoolClient,
    work: (tables: Tables) => Promise<Result>,
    { isOnDisk }: WriteOptions,
  ): Promise<Result> {
    const key = `lookback write ${this.#schema}`.replaceAll("'", "''");
    await client.query(
      `BEGIN; SET LOCAL synchronous_commit = off; SELECT pg_advisory_xact_lock(hashtextextended('${key}', 0))`,
    );
    try {
      const result = await work(this.#tables(client));
      await client.query(isOnDisk ? commitToDisk : 'COMMIT');
      return result;
    } catch (error) {
      if (isHarmless(error)) await client.query('ROLLBACK');
      throw error;
    }
  }

  async #prepare(client: pg.PoolClient): Promise<void> {
    const found = await this.#findVersion(this.#tables(client));
    if (found === schemaVersion) return;
    if (this.#place.isReadOnly === true) checkVersion(this.#place, found);
    await this.#transaction(client, (tables) => this.#create(tables), { isOnDisk: true });
  }

  /** Creates the tables, renaming an older version's schema. Another process may have done so in the meantime. */
  async #create(tables: Tables): Promise<void> {
    const { run } = tables;
    const found = await this.#findVersion(tables);
    if (found !== undefined && found >= schemaVersion) return checkVersion(this.#place, found);
    const schema = this.#schema;
    if (found !== undefined) {
      const aside = `${schema}_version_${found}_${Date.now().toString(36)}`;
      await run(`ALTER SCHEMA ${quote(schema)} RENAME TO ${quote(aside)}`);
      this.notice = `The schema "${schema}" was written by an older version: it was renamed to "${aside}", and a new one was started.`;
    }
    const there = await run('SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = $1', [schema]);
    if (there.length === 0) await run(`CREATE SCHEMA ${quote(schema)}`);
    for (const statement of tableStatements(dialect)) await run(statement);
    await run('ALTER TABLE @batch ALTER data SET STORAGE EXTERNAL'); // compressed already
    for (const one of newMeta()) await run('INSERT INTO @meta VALUES ($1, $2)', one);
  }

  async #findVersion({ run }: Tables): Promise<number | undefined> {
    // Not to_regclass, whose answer may predate the lock.
    const found = await run(
      `SELECT 1 FROM pg_catalog.pg_tables WHERE schemaname = $1 AND tablename = 'meta'`,
      [this.#schema],
    );
    if (found.length === 0) return undefined;
    const [row] = await run(`SELECT value FROM @meta WHERE name = 'version'`);
    return Number(row?.['value'] ?? 0);
  }
}

/** Returns whether an error is one of lookback's own, which leaves the connection usable. */
function isHarmless(error: unknown): boolean {
  return isCodedError(error) && !error.code.startsWith('PROFILER_STORE_');
}

/** Loads the client. Throws `PROFILER_STORE_CLIENT` if that fails. */
async function openPool(connectionString: string): Promise<pg.Pool> {
  checkPackage('pg');
  const { default: driver } = await import('pg').catch((error: unknown) => {
    throw storeErrors.create('PROFILER_STORE_CLIENT', { name: 'pg' }, { cause: error });
  });
  const pool = new driver.Pool({
    connectionString,
    max: maxConnections,
    connectionTimeoutMillis: timeoutsMs.connection,
    query_timeout: timeoutsMs.statement,
    keepAlive: true,
    allowExitOnIdle: true,
    application_name: 'lookback',
  });
  // A connection may break while idle or between statements. The next statement then fails or opens another.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** Returns a server error's SQLSTATE, or that of a coded error's cause; empty if there is none. */
function sqlState(error: unknown): string {
  const original = isCodedError(error) ? error.cause : error;
  return original instanceof Error && 'code' in original ? String(original.code) : '';
}

function problemOf(error: unknown, reason: string): StoreProblem {
  const state = sqlState(error);
  if (state === '53100' || state === '53200') return 'PROFILER_STORE_FULL';
  if (state === '25006') return 'PROFILER_STORE_SERVER_READ_ONLY';
  if (/^(?:28...|3D000|42501)$/.test(state)) return 'PROFILER_STORE_REFUSED';
  if (/^(?:08...|57P..|53300|E[A-Z_]+)$/.test(state)) return 'PROFILER_STORE_AWAY';
  if (state === '55P03' || state === '57014' || /read timeout/i.test(reason)) return 'PROFILER_STORE_BUSY';
  return state === '' && /timeout|terminated|ended|closed/i.test(reason)
    ? 'PROFILER_STORE_AWAY'
    : 'PROFILER_STORE_FAILED';
}
