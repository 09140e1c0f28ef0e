import { statSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import type { CodedError } from '#coded-error';
import type { RecordBucket } from '../../model/profile-record.js';
import type { Lease, ProcessCounts, Retention, Segment } from '../../model/profile-store.js';
import { type TokenState, tokenStateOf } from '../tokens/token-state.js';
import type { StoreProcess } from '../remote/remote-store.js';
import { boundLog, diskBounds, fillsDisk } from './disk-bounds.js';
import {
  closeQuietly,
  isStillThere,
  openSqliteFile,
  removeFile,
  type SqliteFile,
} from './open-sqlite-file.js';
import type { SqliteDatabase } from './sqlite-database.js';
import { toSqliteError } from './sqlite-failure.js';
import { type FileTally, SqliteWriter } from './sqlite-writer.js';

/** Options of the writer; can be posted to a thread. */
export interface ReopeningWriterOptions {
  readonly file: SqliteFile;
  readonly process: StoreProcess;
  readonly retention: Retention;
  readonly previous?: TokenState | undefined;
  /** As in `OpeningOptions`. */
  readonly busyMs: number;
}

/** What happened to the file since the last call of `drainEvents`. */
export interface FileEvents {
  /** The file was opened (again): other connections to it should be reopened. */
  readonly opened: boolean;
  /** The previous contents are gone: the file was damaged or removed. */
  readonly lost: boolean;
  /** New path of a file that was set aside. */
  readonly setAside: string | null;
}

const noEvents: FileEvents = { opened: false, lost: false, setAside: null };
/**
 * Number of consecutive failures after which a file that fills its disk is removed, because nothing else makes room
 * there.
 */
const maxFullFailures = 3;
/** Milliseconds between checks for an overwritten file. */
const checkIntervalMs = 5000;

/**
 * Writes a file: opens it on demand, reopens it after a failure, and sets it aside if it is damaged. All methods are
 * synchronous, because it runs in the writer's thread. Throws coded errors.
 */
export class ReopeningWriter {
  readonly #options: ReopeningWriterOptions;
  #db: SqliteDatabase | undefined;
  #writer: SqliteWriter | undefined;
  /** Device and inode of the open file, which stay the same if it is renamed. */
  #identity = '';
  #size = 0;
  #nextCheck = performance.now() + checkIntervalMs;
  #tokenState: TokenState | undefined;
  #events: FileEvents = noEvents;
  /** Number of consecutive failures because the disk was full. */
  #full = 0;

  constructor(options: ReopeningWriterOptions) {
    this.#options = options;
    this.#tokenState = options.previous;
  }

  write(segments: readonly Segment[], counts?: ProcessCounts): FileTally {
    return this.#attempt((writer) => writer.write(segments, counts));
  }

  /** The open file, if any. */
  get database(): SqliteDatabase | undefined {
    return this.#db;
  }

  prune(bucket: RecordBucket | undefined): FileTally {
    this.#nextCheck = 0;
    return this.#attempt((writer) => writer.prune(bucket));
  }

  putNote(...note: Parameters<SqliteWriter['putNote']>): void {
    this.#attempt((writer) => writer.putNote(...note));
  }

  tally(): FileTally {
    return this.#attempt((writer) => writer.tally());
  }

  lease(amount: number): Lease {
    const lease = this.#attempt((writer) => writer.lease(amount));
    this.#tokenState = tokenStateOf(lease, this.#tokenState);
    return lease;
  }

  /** Returns what happened since the last call. */
  drainEvents(): FileEvents {
    const events = this.#events;
    this.#events = noEvents;
    return events;
  }

  /**
   * Checkpoints the log and closes the file. SQLite alone does not checkpoint while a statement waits for garbage
   * collection.
   */
  end(): void {
    try {
      // Marks this process as ended.
      this.#db?.prepare('UPDATE run SET pid = 0 WHERE id = ?').run(this.#options.process.run);
      this.#db?.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
    } catch {
      // The next process that opens the file does it.
    }
    this.close();
  }

  close(): void {
    closeQuietly(this.#db);
    this.#db = undefined;
    this.#writer = undefined;
  }

  #attempt<Result>(work: (writer: SqliteWriter) => Result): Result {
    const suspect = this.#closeIfChanged();
    try {
      const result = work(this.#open({ suspect }));
      this.#full = 0;
      return result;
    } catch (error) {
      const failure = toSqliteError(error, this.#options.file.path);
      if (failure.code === 'PROFILER_STORE_FULL' && fillsDisk(this.#options.file.path))
        return this.#makeRoom(work, failure);
      // A file that failed is reopened next time: it may be another one by then.
      if (failure.code !== 'PROFILER_STORE_BUSY') this.close();
      if (failure.code !== 'PROFILER_STORE_CORRUPT') throw failure;
    }
    try {
      return work(this.#open({ suspect: true }));
    } catch (error) {
      this.close();
      throw toSqliteError(error, this.#options.file.path);
    }
  }

  /**
   * Makes room on a disk that the file itself fills, by pruning or by removing a file that cannot be pruned, and tries
   * again.
   */
  #makeRoom<Result>(work: (writer: SqliteWriter) => Result, failure: CodedError): Result {
    try {
      const writer = this.#open({ suspect: false });
      writer.makeRoom();
      const result = work(writer);
      this.#full = 0;
      return result;
    } catch (error) {
      this.close();
      const again = toSqliteError(error, this.#options.file.path);
      if (again.code !== 'PROFILER_STORE_FULL') throw again;
      const { path } = this.#options.file;
      if (++this.#full < maxFullFailures) throw failure;
      removeFile(path);
    }
    const result = work(this.#open({ suspect: false }));
    this.#full = 0;
    return result;
  }

  #open({ suspect }: { readonly suspect: boolean }): SqliteWriter {
    if (this.#writer !== undefined) return this.#writer;
    const { file, process, retention, busyMs } = this.#options;
    const { db, setAside } = openSqliteFile(file, { tokenState: this.#tokenState, suspect, busyMs });
    this.#db = db;
    ({ identity: this.#identity, size: this.#size } = identifyFile(file.path));
    const bounds = diskBounds(file.path, retention.bytes);
    boundLog(db, bounds);
    const writer = new SqliteWriter(db, process, { retention, fileBytes: bounds.file });
    this.#events = {
      opened: true,
      // A process that has a lease was in the file: if it is unknown now, this is another file.
      lost: this.#events.lost || (writer.isNew && this.#tokenState !== undefined),
      setAside: setAside ?? this.#events.setAside,
    };
    return (this.#writer = writer);
  }

  /**
   * Closes the file if it was removed, replaced or overwritten, because writes to it would be lost. Returns whether it
   * is the same file and was truncated (ours never shrinks) or overwritten.
   */
  #closeIfChanged(): boolean {
    if (this.#writer === undefined) return false;
    const { file } = this.#options;
    const { identity, size } = identifyFile(file.path);
    const isOther = identity !== this.#identity;
    const isSuspect = !isOther && (size < this.#size || this.#isOverwritten());
    this.#size = Math.max(size, this.#size);
    if (isOther || isSuspect) this.close();
    return isSuspect;
  }

  /** Checked only at intervals, because it needs a new connection. */
  #isOverwritten(): boolean {
    if (performance.now() < this.#nextCheck || this.#tokenState === undefined) return false;
    this.#nextCheck = performance.now() + checkIntervalMs;
    return !isStillThere(this.#options.file, this.#tokenState.secret);
  }
}

function identifyFile(path: string): { identity: string; size: number } {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined
    ? { identity: '', size: 0 }
    : { identity: `${found.dev}:${found.ino}`, size: found.size };
}
