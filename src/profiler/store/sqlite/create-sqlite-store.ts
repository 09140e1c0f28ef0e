import { resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { type CodedError, isCodedError } from '#coded-error';
import type { RecordBucket } from '../../model/profile-record.js';
import type {
  AbsentRecord,
  Lease,
  ProcessAccount,
  ProcessCounts,
  ProfileStore,
  Retention,
  Segment,
  StoredRecord,
  StoreNews,
  StoreNewsOrder,
  StorePage,
  StoreSearch,
  StoreTally,
  StoreTotalsOrder,
} from '../../model/profile-store.js';
import type { StoreTotals } from '../../model/profile-totals.js';
import { closeQuietly, openSqliteFile, type SqliteFile } from './open-sqlite-file.js';
import { byReason, defaultRetention, emptyReasonCounts } from '../policy/retention.js';
import { findWritten } from '../remote/find-written.js';
import { identifyProcess } from '../remote/remote-store.js';
import { type TokenState, tokenStateOf } from '../tokens/token-state.js';
import type { SqliteDatabase } from './sqlite-database.js';
import { toSqliteError } from './sqlite-failure.js';
import { type FileEvents, type ReopeningWriterOptions, ReopeningWriter } from './reopening-writer.js';
import type { SqlReader } from '../sql/sql-reader.js';
import { hasAccounts, secretOf } from './sqlite-schema.js';
import type { FileTally } from './sqlite-writer.js';
import { WriterThread } from './writer-thread.js';

/**
 * Milliseconds to wait for a locked file: in the thread, at the end of the process, and on the event loop, where
 * requests would wait as well.
 */
const busyMs = { thread: 2000, end: 2000, loop: 25 };
/** Milliseconds for which a read retries a locked file. */
const lockedTimeoutMs = 1000;
/** Maximum number of attempts for a read whose connection is closed while it runs. */
const maxAttempts = 3;

/** Options of a store in a SQLite file. */
export interface SqliteStoreOptions {
  readonly retention?: Partial<Retention>;
  /** Module with the API of `node:sqlite`; default: Node's own, otherwise `@photostructure/sqlite`. */
  readonly driver?: string;
  /**
   * If true, nothing is written, and a file that is missing, damaged or of an older version is left unchanged: reading
   * rejects with the reason.
   */
  readonly isReadOnly?: boolean;
}

/**
 * Creates a store in a SQLite file, which several processes may share. A thread writes; the calling thread reads,
 * through its own connection, which never waits for a lock. The first lease opens the file synchronously, so that the
 * first request has its token; if the file is locked, the thread takes the lease later.
 */
export function createSqliteStore(path: string, options: SqliteStoreOptions = {}): ProfileStore {
  return new SqliteStore(
    { path: resolve(path), driver: options.driver, isReadOnly: options.isReadOnly === true },
    {
      ...defaultRetention,
      ...options.retention,
    },
  );
}

/** The connection for reading, with its reader once that was created. */
interface ReadFile {
  readonly db: SqliteDatabase;
  reader?: SqlReader;
}

class SqliteStore implements ProfileStore {
  readonly #file: SqliteFile;
  readonly #retention: Retention;
  readonly #process = identifyProcess();
  readonly #thread: WriterThread;
  #reading: ReadFile | undefined;
  #tokenState: TokenState | undefined;
  /** The first lease is attempted synchronously; whatever the outcome, the thread takes the next ones. */
  #wasTried = false;
  /** Records of this process in the current file. */
  #written = 0;
  #pruned: FileTally['pruned'] = emptyReasonCounts();
  /** Records of this process that were pruned from files lost since. */
  #prunedBefore: FileTally['pruned'] = emptyReasonCounts();
  #lost = 0;
  #setAside: string | null = null;
  #isClosed = false;

  constructor(file: SqliteFile, retention: Retention) {
    this.#file = file;
    this.#retention = retention;
    this.#thread = new WriterThread(
      file.path,
      () => this.#writerOptions(busyMs.thread),
      (events) => this.#apply(events),
    );
  }

  lease(amount: number): Lease | Promise<Lease> {
    if (this.#tokenState !== undefined || this.#wasTried)
      return this.#thread.call('lease', amount).then((lease) => this.#leased(lease));
    this.#wasTried = true;
    const writer = new ReopeningWriter(this.#writerOptions(busyMs.loop));
    try {
      return this.#leased(writer.lease(amount));
    } finally {
      this.#apply(writer.drainEvents());
      writer.close();
    }
  }

  async write(segments: readonly Segment[], counts?: ProcessCounts): Promise<StoreTally> {
    try {
      const tally = await this.#thread.call('write', segments, counts);
      for (const segment of segments) this.#written += segment.keys.length;
      return this.#toTally(tally);
    } catch (error) {
      this.#closeReading(); // as in WriterThread: an open connection keeps the file in its failed state
      throw error;
    }
  }

  async secret(): Promise<string> {
    return this.#read((_, db) => secretOf(db));
  }

  find(key: number): Promise<StoredRecord | AbsentRecord> {
    return findWritten(() => this.#read((reader) => reader.find(key, this.#process.run)));
  }

  async search(search: StoreSearch): Promise<StorePage> {
    return this.#read(({ search: rows }) => rows.search(search));
  }

  async totals(order: StoreTotalsOrder): Promise<StoreTotals> {
    return this.#read(({ search: rows }) => rows.totals(order));
  }

  async news(order: StoreNewsOrder): Promise<StoreNews> {
    return this.#read(({ search: rows }) => rows.news(order));
  }

  async putNote(kind: string, name: string, text: string | null): Promise<void> {
    await this.#thread.call('putNote', kind, name, text);
  }

  async notes(kind: string, name?: string): Promise<ReadonlyMap<string, string>> {
    return this.#read((reader) => reader.notes(kind, name));
  }

  async prune(bucket?: RecordBucket): Promise<StoreTally> {
    return this.#toTally(await this.#thread.call('prune', bucket));
  }

  async tally(): Promise<StoreTally> {
    return this.#toTally(await this.#thread.call('tally'));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    // The last connection to close checkpoints the log, and only that of the writer can.
    this.#closeReading();
    await this.#thread.close();
  }

  processes(): Promise<readonly ProcessAccount[]> {
    // A file of an earlier version that is only read has no accounts.
    return this.#read((reader, db) => (hasAccounts(db) ? reader.processes() : []));
  }

  writeNow(segments: readonly Segment[], counts?: ProcessCounts): void {
    const writer = new ReopeningWriter(this.#writerOptions(busyMs.end));
    try {
      writer.write(segments, counts);
    } finally {
      writer.close();
    }
  }

  #leased(lease: Lease): Lease {
    this.#tokenState = tokenStateOf(lease, this.#tokenState);
    return lease;
  }

  /**
   * Runs a read. Retries while the file is locked, without blocking the event loop. Starts again if the connection was
   * closed during an asynchronous read, which is not a failure of the file.
   */
  async #read<Result>(
    read: (reader: SqlReader, db: SqliteDatabase) => Result | Promise<Result>,
  ): Promise<Result> {
    const sqlite = await import('./sqlite-reader.js'); // loaded only when a page needs it
    const end = performance.now() + lockedTimeoutMs;
    for (let closed = 0; ;) {
      let reading: ReadFile | undefined;
      try {
        reading = this.#open();
        return await read((reading.reader ??= sqlite.createSqliteReader(reading.db)), reading.db);
      } catch (error) {
        const wasClosed = reading !== undefined && this.#reading !== reading && !this.#isClosed;
        if (wasClosed && ++closed < maxAttempts) continue;
        const failure = this.#readingFailed(error);
        if (failure.code !== 'PROFILER_STORE_BUSY' || performance.now() > end) throw failure;
      }
      await pause(25);
    }
  }

  #writerOptions(wait: number): ReopeningWriterOptions {
    return {
      busyMs: wait,
      file: this.#file,
      process: this.#process,
      retention: this.#retention,
      previous: this.#tokenState,
    };
  }

  #open(): ReadFile {
    if (this.#reading !== undefined) return this.#reading;
    const { db, setAside } = openSqliteFile(this.#file, { tokenState: this.#tokenState, busyMs: 0 });
    this.#apply({ opened: false, lost: setAside !== null, setAside });
    return (this.#reading = { db });
  }

  /** Converts the error of a read. Closes the connection, unless the error concerns only a single record. */
  #readingFailed(error: unknown): CodedError {
    if (isCodedError(error) && error.code.startsWith('PROFILER_RECORD_')) return error;
    this.#closeReading();
    return toSqliteError(error, this.#file.path);
  }

  #closeReading(): void {
    closeQuietly(this.#reading?.db);
    this.#reading = undefined;
  }

  #apply({ opened, lost, setAside }: FileEvents): void {
    if (opened) this.#closeReading();
    if (setAside !== null) this.#setAside = setAside;
    if (!lost) return;
    const gone = Object.values(this.#pruned).reduce((sum, count) => sum + count, 0);
    this.#prunedBefore = byReason((reason) => this.#prunedBefore[reason] + this.#pruned[reason]);
    this.#lost += this.#written - gone;
    this.#written = 0;
    this.#pruned = emptyReasonCounts();
  }

  #toTally(tally: FileTally): StoreTally {
    this.#pruned = tally.pruned;
    const pruned = byReason((reason) => this.#prunedBefore[reason] + tally.pruned[reason]);
    return { ...tally, pruned, lost: this.#lost, setAside: this.#setAside };
  }
}
