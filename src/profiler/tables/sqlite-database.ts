import { existsSync, renameSync, statSync } from 'node:fs';
import { closeQuietly, openSqliteFile, type SqliteFile } from './open-sqlite-file.js';
import type { RunSql, SqlDatabase, Tables } from './sql-database.js';
import {
  rollBack,
  type SqliteDatabase as Connection,
  sqliteDialect,
  statementsOf,
  toSqliteError,
} from './sqlite-driver.js';

/**
 * The latest work on each file in this thread. A piece of work waits for the one before, also of another connection: that
 * one could not go on while the thread waits for its lock.
 */
const latestWork = new Map<string | symbol, Promise<void>>();

interface OpenFile {
  /** Device and inode, which stay the same if it is renamed. */
  readonly identity: string;
  readonly db: Connection;
  readonly tables: Tables;
}

/**
 * A SQLite file, or a database in memory. The file is opened on demand and again after a failure; one that is damaged or of
 * an older version is renamed, and a new one begun. All work blocks its thread.
 */
export class SqliteDatabase implements SqlDatabase {
  notice: string | undefined;
  readonly #file: SqliteFile;
  #open: OpenFile | undefined;
  /** Whose turns this one waits for. */
  readonly #turn: string | symbol;

  constructor(file: SqliteFile) {
    this.#file = file;
    this.#turn = file.path === ':memory:' ? Symbol(file.path) : file.path;
  }

  read<Result>(work: (tables: Tables) => Promise<Result>): Promise<Result> {
    return this.#inTurn(({ tables }) => work(tables));
  }

  write<Result>(work: (tables: Tables) => Promise<Result>): Promise<Result> {
    return this.#inTurn(async ({ db, tables }) => {
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
    return this.#after(async () => {
      try {
        // SQLite alone does not write back the log while a statement waits for garbage collection.
        if (this.#file.isReadOnly !== true) this.#open?.db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      } catch {
        // The next process that opens the file does it.
      }
      this.#release();
    });
  }

  #inTurn<Result>(work: (open: OpenFile) => Promise<Result>): Promise<Result> {
    const { path, isReadOnly } = this.#file;
    return this.#after(async () => {
      for (let attempt = 0; ; attempt++) {
        const identity = identityOf(path);
        // Writes to a file that was removed or replaced would be lost.
        if (this.#open !== undefined && this.#open.identity !== identity) this.#release();
        try {
          return await work(this.#connect());
        } catch (error) {
          const failure = toSqliteError(error, path);
          if (!failure.code.startsWith('PROFILER_STORE_')) throw failure;
          // A file that failed is opened again: it may be another one by then.
          if (failure.code !== 'PROFILER_STORE_BUSY' || attempt > 0) this.#release();
          const why = setAsideFor.get(failure.code);
          if (why === undefined || isReadOnly === true || attempt > 0) throw failure;
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
    const { db, maxBytes } = openSqliteFile(this.#file);
    const rows = statementsOf(db);
    const run: RunSql = (text, values) =>
      new Promise((resolve) => {
        resolve(rows(text, values));
      });
    const tables = { ...sqliteDialect, run, maxBytes };
    return (this.#open = { identity: identityOf(this.#file.path), db, tables });
  }

  #release(): void {
    closeQuietly(this.#open?.db);
    this.#open = undefined;
  }
}

/** Error codes for which a file is renamed, with the word for its new name. */
const setAsideFor = new Map<string, 'damaged' | 'older'>([
  ['PROFILER_STORE_CORRUPT', 'damaged'],
  ['PROFILER_STORE_OLDER', 'older'],
]);

/** Renames a file with its log and its shared memory. Returns what happened, as a sentence for people. */
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
  return `"${path}" ${what}: it was renamed to "${aside}", and a new file was begun.`;
}

/** Returns what identifies a file as long as it exists, or a database in memory. */
function identityOf(path: string): string {
  try {
    const { dev, ino } = statSync(path);
    return `${dev}:${ino}`;
  } catch {
    return '';
  }
}

function ignore(): void {}
