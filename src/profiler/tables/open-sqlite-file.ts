import { existsSync, mkdirSync, statfsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { loadSqlite, rollBack, type SqliteDatabase, sqliteDialect, statementsOf } from './sqlite-driver.js';
import { storeErrors } from './store-errors.js';
import { checkVersion, newMeta, schemaVersion, tableStatements } from './table-schema.js';

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
  /** Bytes that the file and its log may have. */
  readonly maxBytes: number;
}

/** Application id in the header of our files: "Lkbk". */
const applicationId = 0x4c6b626b;

export function closeQuietly(db: SqliteDatabase | undefined): void {
  try {
    db?.close();
  } catch {
    // The connection is broken or already closed.
  }
}

/** A connection to a file, and the bytes above which its oldest records are removed. */
interface OpenedFile {
  readonly db: SqliteDatabase;
  readonly maxBytes: number;
}

/** Opens a file, or creates it with its tables. Throws, before anything is changed, if it is of another version or foreign. */
export function openSqliteFile(file: SqliteFile): OpenedFile {
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
    const found = findVersion(db, path);
    checkVersion(file, found);
    if (isReadOnly) return { db, maxBytes: file.maxBytes };
    if (found === undefined) db.exec(`PRAGMA page_size = ${pageSize}`);
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    if (found === undefined) createTables(db, file);
    return { db, maxBytes: path === ':memory:' ? file.maxBytes : boundLog(db, file) };
  } catch (error) {
    closeQuietly(db);
    const isForeign = error instanceof Error && /not a database/.test(error.message);
    throw isForeign ? storeErrors.create('PROFILER_STORE_FOREIGN', { path }) : error;
  }
}

function createTables(db: SqliteDatabase, file: SqliteFile): void {
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

/** Returns the version of the tables; undefined if the file is empty. Throws `PROFILER_STORE_FOREIGN`. */
function findVersion(db: SqliteDatabase, path: string): number | undefined {
  const id = Number(db.prepare('PRAGMA application_id').get()?.['application_id'] ?? 0);
  const found = Number(db.prepare('PRAGMA user_version').get()?.['user_version'] ?? 0);
  if (id === applicationId) return found;
  const tables = Number(db.prepare('SELECT count(*) AS tables FROM sqlite_master').get()?.['tables'] ?? 0);
  if (id !== 0 || found !== 0 || tables > 0) throw storeErrors.create('PROFILER_STORE_FOREIGN', { path });
  return undefined;
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
const pageSize = 8192;
const minLimitBytes = 1024 * 1024;
const minLogBytes = 32 * pageSize;
const maxLogBytes = 16 * 1024 * 1024;

/**
 * Bounds the write-ahead log, and returns the bytes that are left for the file: the limit covers both. It is raised to 1 MiB,
 * which an empty file and its log need, and reduced to half of the file system, because a log that cannot grow stops
 * the removal of records as well.
 */
function boundLog(db: SqliteDatabase, { path, maxBytes }: SqliteFile): number {
  const bytes = Math.max(minLimitBytes, Math.min(maxBytes, sizeOfDisk(path) / 2));
  const log = Math.min(maxLogBytes, Math.max(minLogBytes, bytes / 8));
  db.exec(
    `PRAGMA wal_autocheckpoint = ${Math.ceil(log / pageSize)}; PRAGMA journal_size_limit = ${Math.ceil(log)}`,
  );
  // The log can exceed its bound: it is checkpointed after a transaction, not within one.
  return bytes - 2 * log;
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
