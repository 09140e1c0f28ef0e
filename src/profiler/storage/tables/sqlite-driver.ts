import { createRequire } from 'node:module';
import type { CodedError } from '#core/coded-error';
import { storeErrors, type StoreProblem, toStoreError } from './store-errors.js';
import type { SqlDialect } from './sql-database.js';

type SqliteValue = null | number | bigint | string | Uint8Array;

export type SqliteRow = Readonly<Record<string, SqliteValue>>;

/** The part of a `node:sqlite` connection that is used. */
export interface Connection {
  exec(sql: string): void;
  prepare(sql: string): { all(...values: SqliteValue[]): SqliteRow[] };
  close(): void;
}

export interface SqliteModule {
  readonly DatabaseSync: new (path: string) => Connection;
}

const packages = ['node:sqlite', '@photostructure/sqlite'];

/**
 * Loads Node's own SQLite, or the package. `driver` names another module with the same API. Throws
 * `PROFILER_STORE_DRIVER`.
 */
export function loadSqlite(driver?: string): SqliteModule {
  const require = createRequire(import.meta.url);
  let cause: unknown;
  for (const name of driver === undefined ? packages : [driver]) {
    try {
      const loaded = withoutWarning(() => require(name) as unknown); // checked below
      if (isSqliteModule(loaded)) return loaded;
    } catch (error) {
      cause = error;
    }
  }
  throw storeErrors.create('PROFILER_STORE_DRIVER', {}, { cause });
}

/** Suppresses Node 22's warning that its SQLite is experimental, which users cannot act on. Other warnings pass. */
function withoutWarning<Result>(load: () => Result): Result {
  const { emitWarning } = process; // oxlint-disable-line typescript/unbound-method -- put back as it was
  process.emitWarning = (...given: unknown[]): void => {
    if (!String(given[0]).startsWith('SQLite is an experimental feature'))
      Reflect.apply(emitWarning, process, given);
  };
  try {
    return load();
  } finally {
    process.emitWarning = emitWarning;
  }
}

function isSqliteModule(loaded: unknown): loaded is SqliteModule {
  return typeof loaded === 'object' && loaded !== null && 'DatabaseSync' in loaded;
}

export function rollBack(db: Connection): void {
  try {
    db.exec('ROLLBACK');
  } catch {
    // SQLite has already rolled back, and the first error is more informative.
  }
}

const maxPrepared = 64;

/** Returns a synchronous function that runs statements as `RunSql` describes. */
export function statementsOf(
  db: Connection,
): (text: string, values?: readonly unknown[]) => readonly SqliteRow[] {
  const known = new Map<string, ReturnType<typeof prepare>>();
  const prepare = (text: string) => {
    const places: number[] = [];
    // SQLite treats numbered parameters as named ones, which the driver binds differently.
    const anonymous = text.replaceAll(/\$(\d+)/g, (_, place: string) => {
      places.push(Number(place) - 1);
      return '?';
    });
    const prepared = { statement: db.prepare(anonymous.replaceAll('@', '')), places };
    if (known.size === maxPrepared) known.clear();
    known.set(text, prepared);
    return prepared;
  };
  return (text, values = []) => {
    const { statement, places } = known.get(text) ?? prepare(text);
    return statement.all(...places.map((place) => values[place] as SqliteValue)); // callers pass only SQLite values
  };
}

/** Problems by system or SQLite message, because only some errors carry a SQLite result code. */
const problems: readonly (readonly [pattern: RegExp, problem: StoreProblem])[] = [
  [/^(?:ENOSPC|EDQUOT):|is full$/, 'PROFILER_STORE_FULL'],
  [/^EROFS:|readonly database$/, 'PROFILER_STORE_READ_ONLY'],
  [/^E[A-Z]+:|unable to open database file$/, 'PROFILER_STORE_CANNOT_OPEN'],
  [/malformed|not a database$/, 'PROFILER_STORE_CORRUPT'],
  [/is locked$/, 'PROFILER_STORE_BUSY'],
];

export function toSqliteError(error: unknown, path: string): CodedError {
  return toStoreError(error, path, (_, reason) => {
    // SQLITE_IOERR_SHMSIZE: the shared-memory file cannot grow.
    if (error instanceof Error && 'errcode' in error && error.errcode === 4874) return 'PROFILER_STORE_FULL';
    return problems.find(([pattern]) => pattern.test(reason))?.[1] ?? 'PROFILER_STORE_FAILED';
  });
}

export const sqliteDialect: SqlDialect = {
  types: {
    text: 'TEXT',
    integer: 'INTEGER',
    id: 'INTEGER',
    real: 'REAL',
    bytes: 'BLOB',
    json: 'TEXT',
  },
  rowsPerInsert: 1,
  now: `((julianday('now') - 2440587.5) * 86400000.0)`,
  usedBytes: `SELECT (page_count - freelist_count) * page_size AS used
    FROM pragma_page_count, pragma_freelist_count, pragma_page_size`,
  floor: (expression) => `CAST(${expression} AS INTEGER)`, // builds without math functions have no floor()
  toReadable: (column) => `strftime('%Y-%m-%d %H:%M:%f', ${column} / 1000, 'unixepoch')`,
  // A row with damaged numbers has none; without this check, the whole statement would fail.
  collected: (name) => `CASE WHEN json_valid(numbers) THEN json_extract(numbers, '$."${name}"') END`,
  like: (text, pattern) => `${text} LIKE ${pattern} ESCAPE '\\'`,
};
