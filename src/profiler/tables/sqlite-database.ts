import { statSync } from 'node:fs';
import {
  boundLog,
  closeQuietly,
  type DiskBounds,
  diskBounds,
  openSqliteFile,
  setAside,
  type SqliteFile,
} from './open-sqlite-file.js';
import type { RunSql, SqlDatabase, SqlDialect } from './sql-database.js';
import {
  sqliteDialect,
  type SqliteDatabase as Connection,
  rollBack,
  SqliteStatements,
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
  readonly run: RunSql;
  readonly bounds: DiskBounds;
}

/**
 * A SQLite file, or a database in memory. The file is opened on demand and again after a failure; one that is damaged or of
 * an older version is renamed, and a new one begun. All work blocks its thread.
 */
export class SqliteDatabase implements SqlDatabase {
  readonly dialect: SqlDialect = sqliteDialect;
  readonly #file: SqliteFile;
  readonly #maxBytes: number;
  #open: OpenFile | undefined;
  #notice: string | undefined;
  /** Whose turns this one waits for. */
  readonly #turn: string | symbol;

  constructor(file: SqliteFile, maxBytes: number) {
    this.#file = file;
    this.#maxBytes = maxBytes;
    this.#turn = file.path === ':memory:' ? Symbol(file.path) : file.path;
  }

  read<Result>(work: (run: RunSql) => Promise<Result>): Promise<Result> {
    return this.#inTurn(({ run }) => work(run));
  }

  write<Result>(work: (run: RunSql) => Promise<Result>): Promise<Result> {
    return this.#inTurn(async ({ db, run }) => {
      db.exec('BEGIN IMMEDIATE');
      try {
        const result = await work(run);
        db.exec('COMMIT');
        return result;
      } catch (error) {
        rollBack(db);
        throw error;
      }
    });
  }

  async usedBytes(run: RunSql): Promise<number> {
    const [pages] = await run(
      `SELECT (page_count - freelist_count) * page_size AS used
       FROM pragma_page_count, pragma_freelist_count, pragma_page_size`,
    );
    return Number(pages?.['used']);
  }

  get maxBytes(): number {
    return this.#open?.bounds.file ?? this.#maxBytes;
  }

  takeNotice(): string | undefined {
    const notice = this.#notice;
    this.#notice = undefined;
    return notice;
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
      // Writes to a file that was removed or replaced would be lost.
      if (this.#open !== undefined && this.#open.identity !== identityOf(path)) this.#release();
      try {
        return await work(this.#connect());
      } catch (error) {
        const failure = toSqliteError(error, path);
        if (!failure.code.startsWith('PROFILER_STORE_')) throw failure;
        const failed = this.#open?.identity;
        // A file that failed is opened again: it may be another one by then.
        if (failure.code !== 'PROFILER_STORE_BUSY') this.#release();
        if (failure.code !== 'PROFILER_STORE_CORRUPT' || isReadOnly === true) throw failure;
        // Another process may have renamed it already.
        if (failed === identityOf(path)) this.#notice = setAside(path, 'damaged');
      }
      try {
        return await work(this.#connect());
      } catch (error) {
        this.#release();
        throw toSqliteError(error, path);
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
    const { path, isReadOnly } = this.#file;
    const { db, notice } = openSqliteFile(this.#file);
    this.#notice = notice ?? this.#notice;
    const statements = new SqliteStatements(db);
    const isInMemory = path === ':memory:';
    const bounds = isInMemory ? { file: this.#maxBytes, log: 0 } : diskBounds(path, this.#maxBytes);
    if (isReadOnly !== true && !isInMemory) boundLog(db, bounds);
    const run: RunSql = (text, values) =>
      new Promise((resolve) => {
        resolve(statements.rows(text, values));
      });
    return (this.#open = { identity: identityOf(path), db, run, bounds });
  }

  #release(): void {
    closeQuietly(this.#open?.db);
    this.#open = undefined;
  }
}

/** Returns what identifies a file as long as it exists, or a database in memory. */
function identityOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? '' : `${found.dev}:${found.ino}`;
}

function ignore(): void {}
