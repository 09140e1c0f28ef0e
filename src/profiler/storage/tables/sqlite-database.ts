import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  renameSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { StoreOptions } from './record-store.js';
import type { RunSql, SqlDatabase, Tables } from './sql-database.js';
import {
  type Connection,
  loadSqlite,
  rollBack,
  sqliteDialect,
  statementsOf,
  toSqliteError,
} from './sqlite-driver.js';
import { storeErrors } from './store-errors.js';
import { checkVersion, newMeta, schemaVersion, tableStatements } from './table-schema.js';

interface SqliteFile extends Pick<StoreOptions, 'driver' | 'isReadOnly'> {
  /** Absolute path, or `:memory:`. */
  readonly path: string;
  /** Fails instead of waiting for another process or replacing a file: for work that the writer thread does otherwise. */
  readonly isHurried?: boolean;
  /** Maximum combined bytes of the file and its log. */
  readonly maxBytes: number;
}

/**
 * Latest work on each file in this thread. Work runs in turn: a thread that waits for a lock could not finish the work
 * on the connection that holds it.
 */
const latestWork = new Map<string | symbol, Promise<void>>();

interface OpenFile {
  /** Device and inode, which survive a rename. */
  readonly identity: string;
  readonly db: Connection;
  readonly tables: Tables;
  /** Write-ahead log size, in bytes, from which nothing more is added. */
  readonly maxLogBytes: number;
}

/**
 * A SQLite file or an in-memory database. The file is opened on demand and reopened after failures. A damaged file, or
 * one of an older version, is renamed and replaced by a new one. All work blocks its thread.
 */
export class SqliteDatabase implements SqlDatabase {
  notice: string | undefined;
  readonly #file: SqliteFile;
  #open: OpenFile | undefined;
  /** Key of the queue in which this database waits. */
  readonly #turn: string | symbol;

  constructor(file: SqliteFile) {
    this.#file = file;
    this.#turn = file.path === ':memory:' ? Symbol(file.path) : file.path;
  }

  read<Result>(work: (tables: Tables) => Promise<Result>): Promise<Result> {
    return this.#inTurn(({ tables }) => work(tables));
  }

  write<Result>(work: (tables: Tables) => Promise<Result>): Promise<Result> {
    return this.#inTurn(async ({ db, tables, maxLogBytes }) => {
      keepLogBounded(db, this.#file, maxLogBytes);
      db.exec('BEGIN IMMEDIATE');
      try {
        const result = await work(tables);
        db.exec('COMMIT');
        return result;
      } catch (error) {
        rollBack(db);
        throw error;
      }
    });
  }

  close(): Promise<void> {
    const { isReadOnly, isHurried } = this.#file;
    return this.#after(async () => {
      try {
        // SQLite does not write back the log by itself while a statement awaits garbage collection.
        if (isReadOnly !== true && isHurried !== true)
          this.#open?.db.exec('PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)');
      } catch {
        // Left to the process that uses the file now, or opens it next.
      }
      this.#release();
    });
  }

  /** Closes the connection without waiting for work, and without writing back the log unless it is the last one. */
  closeNow(): void {
    this.#release();
  }

  #inTurn<Result>(work: (open: OpenFile) => Promise<Result>): Promise<Result> {
    const { path, isReadOnly, isHurried } = this.#file;
    const mayReplace = isReadOnly !== true && isHurried !== true;
    return this.#after(async () => {
      for (let attempt = 0; ; attempt++) {
        const identity = identityOf(path);
        // Writes to a removed or replaced file would be lost.
        if (this.#open !== undefined && this.#open.identity !== identity) this.#release();
        try {
          return await work(this.#connect());
        } catch (error) {
          const failure = toSqliteError(error, path);
          if (!failure.code.startsWith('PROFILER_STORE_')) throw failure;
          // After a failure the file is reopened, because it may have been replaced.
          if (!keepsOpen.has(failure.code) || attempt > 0) this.#release();
          const why = setAsideFor.get(failure.code);
          if (why === undefined || !mayReplace || attempt > 0) throw failure;
          // Another process may have renamed it already.
          if (identity === identityOf(path)) this.notice = setAside(path, why);
        }
      }
    });
  }

  #after<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = (latestWork.get(this.#turn) ?? Promise.resolve()).then(work);
    const turn = result.then(ignore, ignore).then(() => {
      if (latestWork.get(this.#turn) === turn) latestWork.delete(this.#turn);
    });
    latestWork.set(this.#turn, turn);
    return result;
  }

  #connect(): OpenFile {
    if (this.#open !== undefined) return this.#open;
    const { db, maxBytes, maxLogBytes } = openFile(this.#file);
    const rows = statementsOf(db);
    const run: RunSql = (text, values) =>
      new Promise((resolve) => {
        resolve(rows(text, values));
      });
    const tables = { ...sqliteDialect, run, maxBytes };
    return (this.#open = { identity: identityOf(this.#file.path), db, tables, maxLogBytes });
  }

  #release(): void {
    closeQuietly(this.#open?.db);
    this.#open = undefined;
  }
}

/** How long another process's lock blocks this thread, in milliseconds. */
const busyTimeoutMs = 2000;

function busyTimeoutOf({ isHurried = false }: SqliteFile): number {
  return isHurried ? 0 : busyTimeoutMs;
}

/** Application id in the file header: "Lkbk". */
const applicationId = 0x4c6b626b;

/**
 * Opens or creates a file; `maxBytes` is the space left in addition to its log. Throws before changing a file that belongs to another
 * program.
 */
function openFile(file: SqliteFile): { readonly db: Connection } & Bounds {
  const { path, driver, isReadOnly = false } = file;
  const { DatabaseSync } = loadSqlite(driver); // first, so that a missing driver creates no file
  if (path !== ':memory:' && !existsSync(path)) {
    if (isReadOnly) throw storeErrors.create('PROFILER_STORE_ABSENT', { path });
    makeFolder(dirname(path));
    createFile(path);
  } else if (!isReadOnly) makePrivate(path);
  const db = new DatabaseSync(path);
  try {
    db.exec(`PRAGMA busy_timeout = ${busyTimeoutOf(file)}`);
    if (isReadOnly) db.exec('PRAGMA query_only = ON');
    const found = findVersion(db, path);
    checkVersion(file, found);
    const unbounded = { maxBytes: file.maxBytes, maxLogBytes: Number.POSITIVE_INFINITY };
    if (isReadOnly) return { db, ...unbounded };
    if (found === undefined) db.exec(`PRAGMA page_size = ${pageSize}`);
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    if (found === undefined) createTables(db, file);
    return { db, ...(path === ':memory:' ? unbounded : boundLog(db, file)) };
  } catch (error) {
    closeQuietly(db);
    const isForeign = error instanceof Error && /not a database/.test(error.message);
    throw isForeign ? storeErrors.create('PROFILER_STORE_FOREIGN', { path }) : error;
  }
}

function createTables(db: Connection, file: SqliteFile): void {
  const run = statementsOf(db);
  db.exec('BEGIN IMMEDIATE');
  try {
    // Another process may have created the tables in the meantime.
    const found = findVersion(db, file.path);
    checkVersion(file, found);
    if (found === undefined) {
      for (const statement of tableStatements(sqliteDialect)) run(statement);
      for (const one of newMeta()) run('INSERT INTO @meta VALUES ($1, $2)', one);
      db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${schemaVersion}`);
    }
    db.exec('COMMIT');
  } catch (error) {
    rollBack(db);
    throw error;
  }
}

/** Returns the tables' version; undefined if the file is empty. Throws `PROFILER_STORE_FOREIGN`. */
function findVersion(db: Connection, path: string): number | undefined {
  const number = (sql: string): number => Number(Object.values(db.prepare(sql).all()[0] ?? {})[0] ?? 0);
  const [id, found] = [number('PRAGMA application_id'), number('PRAGMA user_version')];
  if (id === applicationId) return found;
  if (id !== 0 || found !== 0 || number('SELECT count(*) FROM sqlite_master') > 0)
    throw storeErrors.create('PROFILER_STORE_FOREIGN', { path });
  return undefined;
}

/**
 * Creates a folder level by level, because Node's recursive `mkdir` never returns in `/proc`. Only this user may read
 * it.
 */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder) makeFolder(parent);
  try {
    mkdirSync(folder, { mode: 0o700 });
    writeFileSync(join(folder, '.gitignore'), '*\n', { flag: 'wx' });
  } catch (error) {
    // Another process may have created it in the meantime.
    if (!existsSync(folder)) throw error;
  }
}

/**
 * Creates a file that only this user may read and write. SQLite gives its log and shared memory the same permissions.
 */
function createFile(path: string): void {
  try {
    closeSync(openSync(path, 'a', 0o600));
  } catch {
    // SQLite reports why the file cannot be opened.
  }
}

/**
 * Removes other users' permissions from a file of this user that was created by hand or by another program. Group permissions are kept if
 * the group may write, because several users' processes then share the file.
 */
function makePrivate(path: string): void {
  if (path === ':memory:' || process.getuid === undefined) return;
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    try {
      const { mode, uid } = statSync(file);
      const wanted = (mode & 0o020) === 0 ? mode & 0o700 : mode & 0o770;
      if (uid === process.getuid() && (mode & 0o777) !== wanted) chmodSync(file, wanted);
    } catch {
      // The file does not exist, or its file system has no permissions.
    }
  }
}

interface Bounds {
  readonly maxBytes: number;
  readonly maxLogBytes: number;
}

const pageSize = 8192;
const minLimitBytes = 1024 * 1024;
const minLogBytes = 32 * pageSize;
const maxLogBytes = 16 * 1024 * 1024;

/**
 * Bounds the write-ahead log and returns the bytes left for the file, because the limit covers both. The limit is at
 * least 1 MiB, which an empty file and its log need, and at most half of the file system, because a log that cannot
 * grow also prevents the removal of records.
 */
function boundLog(db: Connection, { path, maxBytes }: SqliteFile): Bounds {
  const bytes = Math.max(minLimitBytes, Math.min(maxBytes, sizeOfDisk(path) / 2));
  const log = Math.min(maxLogBytes, Math.max(minLogBytes, bytes / 8));
  db.exec(
    `PRAGMA wal_autocheckpoint = ${Math.ceil(log / pageSize)}; PRAGMA journal_size_limit = ${Math.ceil(log)}`,
  );
  // The log can exceed its bound, because it is checkpointed after a transaction, not within one.
  return { maxBytes: bytes - 2 * log, maxLogBytes: 2 * log };
}

/**
 * Throws `PROFILER_STORE_LOG_FULL` if the write-ahead log has reached its bound and cannot be written back. SQLite
 * keeps everything written since the oldest reader began, so a long-lived reader would let the log grow without limit.
 */
function keepLogBounded(db: Connection, file: SqliteFile, maxLogBytes: number): void {
  const { path } = file;
  if (logSize(path) < maxLogBytes) return;
  // Does not wait for readers, which may take hours.
  db.exec('PRAGMA busy_timeout = 0');
  try {
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } finally {
    db.exec(`PRAGMA busy_timeout = ${busyTimeoutOf(file)}`);
  }
  const bytes = logSize(path);
  if (bytes >= maxLogBytes)
    throw storeErrors.create('PROFILER_STORE_LOG_FULL', { path, size: (bytes / 1024 / 1024).toFixed(1) });
}

function logSize(path: string): number {
  return statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}

/** Error codes after which the connection remains usable. */
const keepsOpen: ReadonlySet<string> = new Set(['PROFILER_STORE_BUSY', 'PROFILER_STORE_LOG_FULL']);

/** Returns the file system's size in bytes; infinite if unknown. */
function sizeOfDisk(path: string): number {
  try {
    const { bsize, blocks } = statfsSync(dirname(path));
    // Some file systems report no size.
    return blocks > 0 ? bsize * blocks : Number.POSITIVE_INFINITY;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** Error codes for which a file is renamed, with the word used in its new name. */
const setAsideFor = new Map<string, 'damaged' | 'older'>([
  ['PROFILER_STORE_CORRUPT', 'damaged'],
  ['PROFILER_STORE_OLDER', 'older'],
]);

/** Renames a file with its log and shared memory. Returns a human-readable sentence about it. */
function setAside(path: string, why: 'damaged' | 'older'): string {
  const aside = `${path}.${why}-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`;
  for (const ending of ['', '-wal', '-shm']) {
    try {
      renameSync(path + ending, aside + ending);
    } catch (error) {
      // Another process may have renamed it.
      if (existsSync(path + ending)) throw toSqliteError(error, path);
    }
  }
  const what = why === 'older' ? 'was written by an older version' : 'was damaged';
  return `"${path}" ${what}: it was renamed to "${aside}", and a new file was started.`;
}

function closeQuietly(db: Connection | undefined): void {
  try {
    db?.close();
  } catch {
    // The connection is broken or already closed.
  }
}

/** Returns a value that identifies a file while it exists, or an in-memory database. */
function identityOf(path: string): string {
  try {
    // Does not throw, because throws are inspected like the application's, and this runs before each statement.
    const found = statSync(path, { throwIfNoEntry: false });
    return found === undefined ? '' : `${found.dev}:${found.ino}`;
  } catch {
    return '';
  }
}

function ignore(): void {}
