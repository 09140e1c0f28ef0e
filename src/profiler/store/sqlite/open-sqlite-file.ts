import { existsSync, mkdirSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs';
import { dirname } from 'node:path';
import { storeErrors } from '../policy/error-codes.js';
import { salvageTokenState } from '../pages/database-pages.js';
import type { SqliteDatabase } from './sqlite-database.js';
import { loadSqlite } from './sqlite-database.js';
import { toSqliteError } from './sqlite-failure.js';
import { type OpeningOptions, prepareSqliteSchema } from './sqlite-schema.js';

/** Where a store is, and by which module it is reached. */
export interface SqliteFile {
  /** Absolute. */
  readonly path: string;
  /** Module with the API of `node:sqlite`, instead of the known ones. */
  readonly driver?: string | undefined;
  /** It is not made, and not set aside. */
  readonly isReadOnly?: boolean;
}

export interface OpenedFile {
  readonly db: SqliteDatabase;
  /** Where the file is that was found in its place and set aside. */
  readonly setAside: string | null;
}

/** Why a file is set aside, as its new name says. */
const endings = new Map([
  ['PROFILER_STORE_CORRUPT', 'damaged'],
  ['PROFILER_STORE_OLDER', 'older'],
]);

/** Opens the file, made where needed; a damaged one, or one of an older version, is set aside. Throws a coded error. */
export function openSqliteFile(file: SqliteFile, options: OpeningOptions): OpenedFile {
  try {
    // Of an empty file that others have open, SQLite says only that it is locked.
    if (options.suspect === true && statSync(file.path, { throwIfNoEntry: false })?.size === 0)
      throw storeErrors.create('PROFILER_STORE_CORRUPT', { path: file.path });
    return { db: open(file, options), setAside: null };
  } catch (error) {
    const failure = toSqliteError(error, file.path);
    const why = endings.get(failure.code);
    if (why === undefined || file.isReadOnly === true) throw failure;
    const setAside = putAside(file.path, why);
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
    // Another process may have put the damaged file aside already: then this one is sound.
    if (options.suspect === true && db.prepare('PRAGMA quick_check(1)').get()?.['quick_check'] !== 'ok')
      throw storeErrors.create('PROFILER_STORE_CORRUPT', { path });
    return db;
  } catch (error) {
    closeQuietly(db);
    throw error;
  }
}

/**
 * Whether a connection made now finds the store that has this secret: one that is open already reads what it has in memory,
 * whatever became of the file.
 */
export function isStillThere({ path, driver }: SqliteFile, secret: string): boolean {
  let db: SqliteDatabase | undefined;
  try {
    db = new (loadSqlite(driver).DatabaseSync)(path);
    return db.prepare(`SELECT value FROM meta WHERE name = 'secret'`).get()?.['value'] === secret;
  } catch (error) {
    // Of a file that is held, or that cannot be opened, nothing is known.
    const { code } = toSqliteError(error, path);
    return code !== 'PROFILER_STORE_CORRUPT' && !/no such table/.test(String(error));
  } finally {
    closeQuietly(db);
  }
}

/** Renames the file and what belongs to it; another process may have been faster. */
export function putAside(path: string, why: string): string {
  const stamp = new Date().toISOString().replaceAll(/[:.]/g, '-');
  const aside = `${path}.${why}-${stamp}`;
  for (const ending of ['', '-wal', '-shm']) {
    if (existsSync(path + ending)) renameSync(path + ending, aside + ending);
  }
  return aside;
}

/**
 * Removes the file and what belongs to it. They are cut off first: a connection that waits for the garbage collector
 * would keep their room.
 */
export function removeFile(path: string): void {
  for (const file of [path, `${path}-wal`]) if (existsSync(file)) truncateSync(file);
  for (const ending of ['', '-wal', '-shm']) rmSync(path + ending, { force: true });
}

export function closeQuietly(db: SqliteDatabase | undefined): void {
  try {
    db?.close();
  } catch {
    // It is out of order, or closed already.
  }
}

/** Level by level: Node's own recursive way never ends where a file system knows no new folders (`/proc`). */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder) makeFolder(parent);
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another process may have made it in between.
    if (!existsSync(folder)) throw error;
  }
}
