import { existsSync, mkdirSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs';
import { dirname } from 'node:path';
import { storeErrors } from '../policy/error-codes.js';
import { salvageTokenState } from '../pages/database-pages.js';
import type { SqliteDatabase } from './sqlite-database.js';
import { loadSqlite } from './sqlite-database.js';
import { toSqliteError } from './sqlite-failure.js';
import { type OpeningOptions, prepareSqliteSchema } from './sqlite-schema.js';

/** Location of a store, and the module that opens it. */
export interface SqliteFile {
  /** Absolute path. */
  readonly path: string;
  /** Module with the API of `node:sqlite` that is used instead of the default ones. */
  readonly driver?: string | undefined;
  /** If true, the file is neither created nor set aside. */
  readonly isReadOnly?: boolean;
}

export interface OpenedFile {
  readonly db: SqliteDatabase;
  /** New path of the file that was found and set aside, or null. */
  readonly setAside: string | null;
}

/** Error codes for which a file is set aside, with the word for the new file name. */
const endings = new Map([
  ['PROFILER_STORE_CORRUPT', 'damaged'],
  ['PROFILER_STORE_OLDER', 'older'],
]);

/** Opens the file, or creates it. A file that is damaged or of an older version is set aside. Throws coded errors. */
export function openSqliteFile(file: SqliteFile, options: OpeningOptions): OpenedFile {
  try {
    // SQLite reports an empty file that others have open only as locked.
    if (options.suspect === true && statSync(file.path, { throwIfNoEntry: false })?.size === 0)
      throw storeErrors.create('PROFILER_STORE_CORRUPT', { path: file.path });
    return { db: open(file, options), setAside: null };
  } catch (error) {
    const failure = toSqliteError(error, file.path);
    const why = endings.get(failure.code);
    if (why === undefined || file.isReadOnly === true) throw failure;
    const setAside = setFileAside(file.path, why);
    try {
      const tokenState = options.tokenState ?? salvageTokenState(setAside);
      return { db: open(file, { ...options, tokenState, setAside, suspect: false }), setAside };
    } catch (again) {
      throw toSqliteError(again, file.path);
    }
  }
}

function open({ path, driver, isReadOnly = false }: SqliteFile, options: OpeningOptions): SqliteDatabase {
  if (isReadOnly && (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0)
    throw storeErrors.create('PROFILER_STORE_ABSENT', { path });
  makeFolder(dirname(path));
  const { DatabaseSync } = loadSqlite(driver);
  const db = new DatabaseSync(path);
  try {
    prepareSqliteSchema(db, path, options);
    // Another process may already have set the damaged file aside: then this one is sound.
    if (options.suspect === true && db.prepare('PRAGMA quick_check(1)').get()?.['quick_check'] !== 'ok')
      throw storeErrors.create('PROFILER_STORE_CORRUPT', { path });
    return db;
  } catch (error) {
    closeQuietly(db);
    throw error;
  }
}

/**
 * Returns whether a new connection finds the store that has this secret. An existing connection reads what it has in
 * memory, whatever happened to the file.
 */
export function isStillThere({ path, driver }: SqliteFile, secret: string): boolean {
  let db: SqliteDatabase | undefined;
  try {
    db = new (loadSqlite(driver).DatabaseSync)(path);
    return db.prepare(`SELECT value FROM meta WHERE name = 'secret'`).get()?.['value'] === secret;
  } catch (error) {
    // A locked file, or one that cannot be opened, proves nothing.
    const { code } = toSqliteError(error, path);
    return code !== 'PROFILER_STORE_CORRUPT' && !/no such table/.test(String(error));
  } finally {
    closeQuietly(db);
  }
}

/**
 * Renames the file with its log and its shared memory, and returns the new path. Files that another process has already
 * renamed are skipped.
 */
export function setFileAside(path: string, why: string): string {
  const stamp = new Date().toISOString().replaceAll(/[:.]/g, '-');
  const aside = `${path}.${why}-${stamp}`;
  for (const ending of ['', '-wal', '-shm']) {
    if (existsSync(path + ending)) renameSync(path + ending, aside + ending);
  }
  return aside;
}

/**
 * Removes the file with its log and its shared memory. They are truncated first, because a connection that waits for
 * garbage collection would keep their disk space.
 */
export function removeFile(path: string): void {
  for (const file of [path, `${path}-wal`]) if (existsSync(file)) truncateSync(file);
  for (const ending of ['', '-wal', '-shm']) rmSync(path + ending, { force: true });
}

export function closeQuietly(db: SqliteDatabase | undefined): void {
  try {
    db?.close();
  } catch {
    // The connection is broken or already closed.
  }
}

/**
 * Creates a folder level by level: the recursive `mkdir` of Node never returns on a file system that cannot create
 * folders (`/proc`).
 */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder) makeFolder(parent);
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another process may have created it in the meantime.
    if (!existsSync(folder)) throw error;
  }
}
