import type pg from 'pg';
import { type CodedError, isCodedError } from '#coded-error';
import { checkPackage, supportedPackages } from '#patches';
import type { RunSql, SqlDatabase, SqlDialect, SqlRow, WriteOptions } from './sql-database.js';
import { storeErrors, type StoreProblem, toStoreError } from './store-errors.js';
import { newMeta } from './store-transaction.js';
import { schemaVersion, tableStatements } from './table-schema.js';

const defaultSchema = 'lookback';
/** Timeouts in milliseconds, for connecting and for a statement. */
const timeoutsMs = { connection: 2000, statement: 5000 };
const maxConnections = 4;
/** Writes nothing, but waits until all that was committed before is on disk. Other writers need not wait for that. */
const commitToDisk = `COMMIT; SELECT pg_logical_emit_message(true, 'lookback', '')`;
/** Codes of a table or a schema that does not exist (any more). */
const absentStates: ReadonlySet<string> = new Set(['42P01', '3F000']);

/** Where a store is, and how it is opened. */
export interface PostgresPlace {
  readonly address: string;
  /** The address without its password. */
  readonly name: string;
  /** If true, the schema is neither created, changed nor renamed. */
  readonly isReadOnly?: boolean | undefined;
}

/** Returns the dialect of PostgreSQL for tables of a schema. All of its names are qualified: no session has a state. */
export function postgresDialect(schema: string): SqlDialect {
  const text = 'text COLLATE "C"'; // compares, and ignores case, as bytes do: in every database alike
  return {
    types: {
      text,
      integer: 'integer',
      id: 'bigint',
      real: 'double precision',
      time: 'timestamptz',
      bytes: 'bytea',
      json: 'jsonb',
    },
    rowsPerInsert: 64,
    now: millisecondsOf('clock_timestamp()'),
    table: (name) => `${quote(schema)}.${name}`,
    toTime: (expression) => `to_timestamp(${expression}::float8 / 1000)`,
    toMilliseconds: millisecondsOf,
    floor: (expression) => `floor(${expression})`,
    toReadable: (column) => column,
    collected: (name) => `(numbers ->> '${name}')::float8`,
    like: (column, pattern) => `${column} ILIKE ${pattern}`,
  };
}

/** Precise to a quarter of a microsecond: readers round to microseconds. */
function millisecondsOf(time: string): string {
  return `(date_part('epoch', ${time}) * 1000)`;
}

function quote(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`;
}

/**
 * A schema in PostgreSQL, `?schema=` of the address or `lookback`. Connections are opened on demand, and again after they
 * break. Works through a pool that gives out connections for one transaction each.
 */
export class PostgresDatabase implements SqlDatabase {
  readonly dialect: SqlDialect;
  readonly #place: PostgresPlace;
  readonly #address: string;
  readonly #schema: string;
  #pool: Promise<pg.Pool> | undefined;
  #prepared: Promise<void> | undefined;
  #notice: string | undefined;

  constructor(place: PostgresPlace) {
    const url = new URL(place.address);
    this.#schema = url.searchParams.get('schema') ?? defaultSchema;
    url.searchParams.delete('schema');
    this.#place = place;
    this.#address = url.href;
    this.dialect = postgresDialect(this.#schema);
  }

  read<Result>(work: (run: RunSql) => Promise<Result>): Promise<Result> {
    return this.#withTables((client) => work(runOf(client)));
  }

  write<Result>(work: (run: RunSql) => Promise<Result>, options: WriteOptions): Promise<Result> {
    return this.#withTables((client) => this.#transaction(client, work, options));
  }

  takeNotice(): string | undefined {
    const notice = this.#notice;
    this.#notice = undefined;
    return notice;
  }

  async close(): Promise<void> {
    const pool = await this.#pool?.catch(() => undefined);
    await pool?.end();
  }

  async #withTables<Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
    for (let attempt = 0; ; attempt++) {
      try {
        this.#prepared ??= this.#withClient((client) => this.#prepare(client));
        await this.#prepared;
        return await this.#withClient(work);
      } catch (error) {
        // What failed may be prepared again by then: the schema was removed, or the server came back empty.
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
      throw toPostgresError(error, this.#place.name);
    } finally {
      // A connection that failed may be in any state, in a transaction even: it is not used again.
      client?.release(failure !== undefined && !isHarmless(failure));
    }
  }

  /** Writers wait for each other, so that positions are in the order in which they can be seen. */
  async #transaction<Result>(
    client: pg.PoolClient,
    work: (run: RunSql) => Promise<Result>,
    { isOnDisk }: WriteOptions,
  ): Promise<Result> {
    const run = runOf(client);
    const key = `lookback write ${this.#schema}`.replaceAll("'", "''");
    await run(
      `BEGIN; SET LOCAL synchronous_commit = off; SELECT pg_advisory_xact_lock(hashtextextended('${key}', 0))`,
    );
    try {
      const result = await work(run);
      await run(isOnDisk ? commitToDisk : 'COMMIT');
      return result;
    } catch (error) {
      if (isHarmless(error)) await run('ROLLBACK');
      throw error;
    }
  }

  async #prepare(client: pg.PoolClient): Promise<void> {
    const { name, isReadOnly = false } = this.#place;
    const found = await this.#findVersion(runOf(client));
    if (found === schemaVersion) return;
    if (found !== undefined && found > schemaVersion)
      throw storeErrors.create('PROFILER_STORE_NEWER', { path: name, found, known: schemaVersion });
    if (isReadOnly && found === undefined) throw storeErrors.create('PROFILER_STORE_ABSENT', { path: name });
    if (isReadOnly)
      throw storeErrors.create('PROFILER_STORE_OLDER', {
        path: name,
        found: found ?? 0,
        known: schemaVersion,
      });
    await this.#transaction(client, (run) => this.#create(run), { isOnDisk: true });
  }

  /** Creates the tables; renames a schema of an older version. Another process may have done so in the meantime. */
  async #create(run: RunSql): Promise<void> {
    const found = await this.#findVersion(run);
    if (found !== undefined && found >= schemaVersion) return;
    if (found !== undefined) {
      const aside = `${this.#schema}_version_${found}_${Date.now().toString(36)}`;
      await run(`ALTER SCHEMA ${quote(this.#schema)} RENAME TO ${quote(aside)}`);
      this.#notice = `The schema "${this.#schema}" was written by an older version: it was renamed to "${aside}", and a new one was begun.`;
    }
    const there = await run('SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = $1', [this.#schema]);
    if (there.length === 0) await run(`CREATE SCHEMA ${quote(this.#schema)}`);
    for (const statement of tableStatements(this.dialect)) await run(statement);
    await run(`ALTER TABLE ${this.dialect.table('batch')} ALTER data SET STORAGE EXTERNAL`); // compressed already
    for (const [name, value] of newMeta())
      await run(`INSERT INTO ${this.dialect.table('meta')} VALUES ($1, $2)`, [name, value]);
  }

  async #findVersion(run: RunSql): Promise<number | undefined> {
    const meta = this.dialect.table('meta');
    // Not by to_regclass, which may still answer from before the lock was there.
    const found = await run(
      `SELECT 1 FROM pg_catalog.pg_tables WHERE schemaname = $1 AND tablename = 'meta'`,
      [this.#schema],
    );
    if (found.length === 0) return undefined;
    const [row] = await run(`SELECT value FROM ${meta} WHERE name = 'version'`);
    return Number(row?.['value'] ?? 0);
  }
}

/** Returns whether an error is one of ours, which leaves the connection as it is. */
function isHarmless(error: unknown): boolean {
  return isCodedError(error) && !error.code.startsWith('PROFILER_STORE_');
}

function runOf(client: pg.PoolClient): RunSql {
  return async (text, values = []) => {
    // Of several statements, the rows of the last are wanted.
    const results = [await client.query<SqlRow>(text, [...values])].flat();
    return results.at(-1)?.rows ?? [];
  };
}

/** Loads the client. Throws `PROFILER_STORE_CLIENT`. */
async function openPool(connectionString: string): Promise<pg.Pool> {
  checkPackage('pg', supportedPackages.pg);
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
  // A connection may break while it is idle, or between two statements: the next statement fails, or opens another one.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/**
 * Converts an error of the server or its client to a coded error, by SQLSTATE
 * (postgresql.org/docs/current/errcodes-appendix.html).
 */
export function toPostgresError(error: unknown, path: string): CodedError {
  return toStoreError(error, path, problemOf);
}

/**
 * Returns the SQLSTATE of a server error, or of the server error that caused a coded error; otherwise an empty string.
 */
export function sqlState(error: unknown): string {
  const original = isCodedError(error) ? error.cause : error;
  return original instanceof Error && 'code' in original ? String(original.code) : '';
}

function problemOf(error: unknown, reason: string): StoreProblem {
  const state = sqlState(error);
  if (state === '53100' || state === '53200') return 'PROFILER_STORE_FULL';
  if (state === '25006') return 'PROFILER_STORE_READ_ONLY';
  if (/^(?:28...|3D000|42501)$/.test(state)) return 'PROFILER_STORE_REFUSED';
  if (/^(?:08...|57P..|53300|E[A-Z_]+)$/.test(state)) return 'PROFILER_STORE_AWAY';
  if (state === '55P03' || state === '57014' || /read timeout/i.test(reason)) return 'PROFILER_STORE_BUSY';
  return state === '' && /timeout|terminated|ended|closed/i.test(reason)
    ? 'PROFILER_STORE_AWAY'
    : 'PROFILER_STORE_FAILED';
}
