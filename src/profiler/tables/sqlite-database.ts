import { statSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import {
  boundLog,
  closeQuietly,
  type DiskBounds,
  diskBounds,
  fillsDisk,
  openSqliteFile,
  type SqliteFile,
} from './open-sqlite-file.js';
import type { RunSql, SqlDatabase, SqlDialect, SqlRow } from './sql-database.js';
import {
  sqliteDialect,
  type SqliteDatabase as Connection,
  rollBack,
  SqliteStatements,
  toSqliteError,
} from './sqlite-driver.js';

/** Milliseconds between checks for a file that was overwritten. */
const checkIntervalMs = 5000;

/**
 * The latest work on each file in this thread. A piece of work waits for the one before, also of another connection: that
 * one could not go on while the thread waits for its lock.
 */
const latestWork = new Map<string | symbol, Promise<void>>();

interface OpenFile {
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
  /** Device and inode of the open file, which stay the same if it is renamed, and its size. */
  #identity = '';
  #size = 0;
  #nextCheck = 0;
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

  write<Result>(
    first: string,
    work: (run: RunSql, rows: readonly SqlRow[]) => Promise<Result>,
  ): Promise<Result> {
    return this.#inTurn(async ({ db, run }) => {
      db.exec('BEGIN IMMEDIATE');
      try {
        const result = await work(run, await run(first));
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

  fillsDisk(): boolean {
    return fillsDisk(this.#file.path);
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
    return this.#after(async () => {
      try {
        return await work(this.#connect({ isSuspect: this.#closeIfChanged() }));
      } catch (error) {
        const failure = toSqliteError(error, this.#file.path);
        if (!failure.code.startsWith('PROFILER_STORE_')) throw failure;
        // A file that failed is opened again: it may be another one by then.
        if (failure.code !== 'PROFILER_STORE_BUSY') this.#release();
        if (failure.code === 'PROFILER_STORE_FULL') this.#checkpoint();
        if (failure.code !== 'PROFILER_STORE_CORRUPT' || this.#file.isReadOnly === true) throw failure;
      }
      try {
        return await work(this.#connect({ isSuspect: true }));
      } catch (error) {
        this.#release();
        throw toSqliteError(error, this.#file.path);
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

  #connect({ isSuspect }: { readonly isSuspect: boolean }): OpenFile {
    if (this.#open !== undefined) return this.#open;
    const { db, notice } = openSqliteFile(this.#file, { isSuspect });
    this.#notice = notice ?? this.#notice;
    const statements = new SqliteStatements(db);
    const isInMemory = this.#file.path === ':memory:';
    const bounds = isInMemory
      ? { file: this.#maxBytes, log: 0 }
      : diskBounds(this.#file.path, this.#maxBytes);
    if (this.#file.isReadOnly !== true && !isInMemory) boundLog(db, bounds);
    ({ identity: this.#identity, size: this.#size } = identifyFile(this.#file.path));
    this.#nextCheck = performance.now() + checkIntervalMs;
    const run: RunSql = (text, values) =>
      new Promise((resolve) => {
        resolve(statements.rows(text, values));
      });
    return (this.#open = { db, run, bounds });
  }

  /** Writes back the log of a full disk, so that what is removed next has room. */
  #checkpoint(): void {
    try {
      this.#connect({ isSuspect: false }).db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      this.#release();
    }
  }

  #release(): void {
    closeQuietly(this.#open?.db);
    this.#open = undefined;
  }

  /**
   * Closes the file if it was removed, replaced or overwritten, because writes to it would be lost. Returns whether it is the
   * same file and was truncated (SQLite never does that here) or overwritten.
   */
  #closeIfChanged(): boolean {
    if (this.#open === undefined || this.#file.path === ':memory:') return false;
    const { identity, size } = identifyFile(this.#file.path);
    const isOther = identity !== this.#identity;
    const isSuspect = !isOther && (size < this.#size || this.#isOverwritten());
    this.#size = size;
    if (isOther || isSuspect) this.#release();
    return isSuspect;
  }

  /** Checked only at intervals, because it needs a new connection: the open one reads what it has in memory. */
  #isOverwritten(): boolean {
    if (performance.now() < this.#nextCheck) return false;
    this.#nextCheck = performance.now() + checkIntervalMs;
    let opened: Connection | undefined;
    try {
      opened = openSqliteFile({ ...this.#file, isReadOnly: true }, { isSuspect: false }).db;
      return false;
    } catch (error) {
      return /_(?:CORRUPT|FOREIGN)$/.test(toSqliteError(error, this.#file.path).code);
    } finally {
      closeQuietly(opened);
    }
  }
}

function identifyFile(path: string): { identity: string; size: number } {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined
    ? { identity: '', size: 0 }
    : { identity: `${found.dev}:${found.ino}`, size: found.size };
}

function ignore(): void {}
