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

/** What the writer is made with; can be sent to a thread. */
export interface ReopeningWriterOptions {
  readonly file: SqliteFile;
  readonly process: StoreProcess;
  readonly retention: Retention;
  readonly previous?: TokenState | undefined;
  /** As in `OpeningOptions`. */
  readonly busyMs: number;
}

/** What happened to the file since it was last asked. */
export interface FileEvents {
  /** It was opened (again): whoever has it open too should open it anew. */
  readonly opened: boolean;
  /** What was in it is not there any more: it was damaged, or someone removed it. */
  readonly lost: boolean;
  /** Where a damaged file is now. */
  readonly setAside: string | null;
}

const noEvents: FileEvents = { opened: false, lost: false, setAside: null };
/** After so many failures in a row a file that fills its disk is removed: nothing else makes room there. */
const maxFullFailures = 3;
/** Milliseconds between two looks at the file from outside. */
const checkIntervalMs = 5000;

/**
 * Keeps a file written: opens it when it is needed, again after a failure, and puts it aside where it is damaged.
 * Everything here is synchronous; it runs in the writer's thread. Throws coded errors.
 */
export class ReopeningWriter {
  readonly #options: ReopeningWriterOptions;
  #db: SqliteDatabase | undefined;
  #writer: SqliteWriter | undefined;
  /** Which file is open, whatever its name is now. */
  #identity = '';
  #size = 0;
  #nextLook = performance.now() + checkIntervalMs;
  #tokenState: TokenState | undefined;
  #news: FileEvents = noEvents;
  /** Failures in a row for want of room. */
  #full = 0;

  constructor(options: ReopeningWriterOptions) {
    this.#options = options;
    this.#tokenState = options.previous;
  }

  write(segments: readonly Segment[], counts?: ProcessCounts): FileTally {
    return this.#attempt((writer) => writer.write(segments, counts));
  }

  /** The file where it is open. */
  get database(): SqliteDatabase | undefined {
    return this.#db;
  }

  prune(bucket: RecordBucket | undefined): FileTally {
    this.#nextLook = 0;
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

  /** What happened since the last call of this. */
  drainEvents(): FileEvents {
    const news = this.#news;
    this.#news = noEvents;
    return news;
  }

  /** Closes the file with its log brought into it: SQLite leaves that undone where a statement is still to be collected. */
  end(): void {
    try {
      // Nothing more is to be expected of this process.
      this.#db?.prepare('UPDATE run SET pid = 0 WHERE id = ?').run(this.#options.process.run);
      this.#db?.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
    } catch {
      // Whoever opens the file next does it.
    }
    this.close();
  }

  close(): void {
    closeQuietly(this.#db);
    this.#db = undefined;
    this.#writer = undefined;
  }

  #attempt<Result>(work: (writer: SqliteWriter) => Result): Result {
    const suspect = this.#leaveChanged();
    try {
      const result = work(this.#open({ suspect }));
      this.#full = 0;
      return result;
    } catch (error) {
      const failure = toSqliteError(error, this.#options.file.path);
      if (failure.code === 'PROFILER_STORE_FULL' && fillsDisk(this.#options.file.path))
        return this.#makeRoom(work, failure);
      // A file that failed is opened anew next time: it may be another one by then.
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

  /** Tries again on a disk that the file itself fills, with room made: by pruning, or by removing a file that cannot be pruned. */
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
    ({ identity: this.#identity, size: this.#size } = lookAt(file.path));
    const bounds = diskBounds(file.path, retention.bytes);
    boundLog(db, bounds);
    const writer = new SqliteWriter(db, process, { retention, fileBytes: bounds.file });
    this.#news = {
      opened: true,
      // Whoever leased before was in the file: now it is another one.
      lost: this.#news.lost || (writer.isNew && this.#tokenState !== undefined),
      setAside: setAside ?? this.#news.setAside,
    };
    return (this.#writer = writer);
  }

  /**
   * A file that was removed or replaced under us takes everything that is written to it into nowhere. True where it is the
   * same file and was cut off (ours never shrinks) or written over.
   */
  #leaveChanged(): boolean {
    if (this.#writer === undefined) return false;
    const { file } = this.#options;
    const { identity, size } = lookAt(file.path);
    const isOther = identity !== this.#identity;
    const isSuspect = !isOther && (size < this.#size || this.#isOverwritten());
    this.#size = Math.max(size, this.#size);
    if (isOther || isSuspect) this.close();
    return isSuspect;
  }

  /** Looked for now and then: a new connection is made for it. */
  #isOverwritten(): boolean {
    if (performance.now() < this.#nextLook || this.#tokenState === undefined) return false;
    this.#nextLook = performance.now() + checkIntervalMs;
    return !isStillThere(this.#options.file, this.#tokenState.secret);
  }
}

function lookAt(path: string): { identity: string; size: number } {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined
    ? { identity: '', size: 0 }
    : { identity: `${found.dev}:${found.ino}`, size: found.size };
}
