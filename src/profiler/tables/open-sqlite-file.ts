import { existsSync, mkdirSync, renameSync, statfsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sqliteDialect, loadSqlite, rollBack, type SqliteDatabase, toSqliteError } from './sqlite-driver.js';
import { storeErrors } from './store-errors.js';
import { newMeta } from './store-transaction.js';
import { schemaVersion, tableStatements } from './table-schema.js';

/** Where a store is, and how it is opened. */
export interface SqliteFile {
  /** Absolute path, or `:memory:`. */
  readonly path: string;
  /** Module with the API of `node:sqlite` that is used instead of the default ones. */
  readonly driver?: string | undefined;
  /** If true, the file is neither created, changed nor renamed. */
  readonly isReadOnly?: boolean | undefined;
  /** Milliseconds for which a call may block its thread while another connection has locked the file. */
  readonly busyMs: number;
}

/** Application id in the header of our files: "Lkbk". */
const applicationId = 0x4c6b626b;

/** Opens a file, or creates it. Renames one that is damaged or of an older version: `notice` says so. Throws coded errors. */
export function openSqliteFile(file: SqliteFile): { readonly db: SqliteDatabase; readonly notice?: string } {
  try {
    return { db: open(file) };
  } catch (error) {
    const failure = toSqliteError(error, file.path);
    const why = setAsideFor.get(failure.code);
    if (why === undefined || file.isReadOnly === true) throw failure;
    const notice = setAside(file.path, why);
    return { db: open(file), notice };
  }
}

/** Error codes for which a file is renamed, with the word for its new name. */
const setAsideFor = new Map<string, 'damaged' | 'older'>([
  ['PROFILER_STORE_CORRUPT', 'damaged'],
  ['PROFILER_STORE_OLDER', 'older'],
]);

/** Renames a file with its log and its shared memory. Returns what happened, as a sentence for people. */
export function setAside(path: string, why: 'damaged' | 'older'): string {
  const aside = `${path}.${why}-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`;
  for (const ending of ['', '-wal', '-shm']) {
    try {
      renameSync(path + ending, aside + ending);
    } catch (error) {
      if (existsSync(path + ending)) throw error; // another process may have renamed it
    }
  }
  const what = why === 'older' ? 'was written by an older version' : 'was damaged';
  return `"${path}" ${what}: it was renamed to "${aside}", and a new file was begun.`;
}

export function closeQuietly(db: SqliteDatabase | undefined): void {
  try {
    db?.close();
  } catch {
    // The connection is broken or already closed.
  }
}

function open(file: SqliteFile): SqliteDatabase {
  const { path, driver, isReadOnly = false, busyMs } = file;
  if (path !== ':memory:' && !existsSync(path)) {
    if (isReadOnly) throw storeErrors.create('PROFILER_STORE_ABSENT', { path });
    makeFolder(dirname(path));
  }
  const { DatabaseSync } = loadSqlite(driver);
  const db = new DatabaseSync(path);
  try {
    db.exec(`PRAGMA busy_timeout = ${busyMs}`);
    if (isReadOnly) db.exec('PRAGMA query_only = ON');
    prepare(db, file);
    return db;
  } catch (error) {
    closeQuietly(db);
    const isForeign = error instanceof Error && /not a database/.test(error.message);
    throw isForeign ? storeErrors.create('PROFILER_STORE_FOREIGN', { path }) : error;
  }
}

/** Creates the tables of an empty file. Throws `PROFILER_STORE_FOREIGN`, `_NEWER`, `_OLDER` or `_ABSENT` before anything is changed. */
function prepare(db: SqliteDatabase, { path, isReadOnly = false }: SqliteFile): void {
  const isEmpty = examineVersion(db, path);
  if (isReadOnly && isEmpty) throw storeErrors.create('PROFILER_STORE_ABSENT', { path });
  if (isReadOnly) return;
  if (isEmpty) db.exec(`PRAGMA page_size = ${pageSize}`);
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
  if (!isEmpty) return;
  db.exec('BEGIN IMMEDIATE');
  try {
    // Another process may have created the tables in the meantime.
    if (examineVersion(db, path)) createTables(db);
    db.exec('COMMIT');
  } catch (error) {
    rollBack(db);
    throw error;
  }
}

function createTables(db: SqliteDatabase): void {
  for (const statement of tableStatements(sqliteDialect)) db.exec(statement);
  const insert = db.prepare('INSERT INTO meta VALUES (?, ?)');
  for (const [name, value] of newMeta()) insert.all(name, value);
  db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${schemaVersion}`);
}

/** Returns whether the file is empty. */
function examineVersion(db: SqliteDatabase, path: string): boolean {
  const id = Number(db.prepare('PRAGMA application_id').get()?.['application_id'] ?? 0);
  const found = Number(db.prepare('PRAGMA user_version').get()?.['user_version'] ?? 0);
  if (id === applicationId) {
    if (found === schemaVersion) return false;
    const code = found > schemaVersion ? 'PROFILER_STORE_NEWER' : 'PROFILER_STORE_OLDER';
    throw storeErrors.create(code, { path, found, known: schemaVersion });
  }
  const tables = Number(db.prepare('SELECT count(*) AS tables FROM sqlite_master').get()?.['tables'] ?? 0);
  if (id !== 0 || found !== 0 || tables > 0) throw storeErrors.create('PROFILER_STORE_FOREIGN', { path });
  return true;
}

/**
 * Creates a folder level by level: the recursive `mkdir` of Node never returns on a file system that cannot create folders
 * (`/proc`). Only this user may read it, and Git ignores it.
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

/** Bytes of a page of the file. */
export const pageSize = 8192;

const minLimitBytes = 1024 * 1024;
const minLogBytes = 32 * pageSize;
const maxLogBytes = 16 * 1024 * 1024;

/** Bounds of a store's disk usage, in bytes. */
export interface DiskBounds {
  /** Size of the file above which its oldest records are pruned. */
  readonly file: number;
  /** Size of the write-ahead log above which it is checkpointed. */
  readonly log: number;
}

/**
 * Returns the bounds for a limit that covers the file and its log together. The limit is raised to 1 MiB, which an
 * empty file and its log need, and reduced to half of the file system, because a log that cannot grow stops pruning as
 * well.
 */
export function diskBounds(path: string, limit: number): DiskBounds {
  const bytes = Math.max(minLimitBytes, Math.min(limit, sizeOfDisk(path) / 2));
  const log = Math.min(maxLogBytes, Math.max(minLogBytes, bytes / 8));
  // The log can exceed its bound: it is checkpointed after a transaction, not within one.
  return { file: bytes - 2 * log, log };
}

/** Bounds the log of a writing connection. */
export function boundLog(db: SqliteDatabase, { log }: DiskBounds): void {
  db.exec(
    `PRAGMA wal_autocheckpoint = ${Math.ceil(log / pageSize)}; PRAGMA journal_size_limit = ${Math.ceil(log)}`,
  );
}

/** Returns the size of the file system in bytes; infinite if it is unknown. */
function sizeOfDisk(path: string): number {
  try {
    const { bsize, blocks } = statfsSync(dirname(path));
    // Some file systems report no size.
    return blocks > 0 ? bsize * blocks : Number.POSITIVE_INFINITY;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
