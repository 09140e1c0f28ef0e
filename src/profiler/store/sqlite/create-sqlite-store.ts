import { resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { type CodedError, isCodedError } from '#coded-error';
import { readRecord } from '../../form/segment-reader.js';
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
import type { PruneReason } from '../../model/record-lookup.js';
import { closeQuietly, openSqliteFile, type SqliteFile } from './open-sqlite-file.js';
import { byReason, defaultRetention, noneOfAnyReason } from '../policy/retention.js';
import { identifyProcess } from '../remote/remote-store.js';
import { type Heritage, heritageOf } from '../tokens/heritage.js';
import type { SqliteDatabase } from './sqlite-database.js';
import type { SqliteSearch } from './sqlite-search.js';
import { toStoreError } from './sqlite-failure.js';
import { type FileEvents, type ReopeningWriterOptions, ReopeningWriter } from './reopening-writer.js';
import { SqliteReader } from './sqlite-reader.js';
import type { FileTally } from './sqlite-writer.js';
import type { WriterReply } from './writer-message.js';
import { WriterThread } from './writer-thread.js';

/** Milliseconds that a held file is waited for: by the thread, at the end of the process, and where requests would wait as well. */
const busyMs = { thread: 2000, end: 2000, loop: 25 };
/** How long a lookup tries a held file, and how long it waits for what another process is about to write. */
const timeoutsMs = { held: 1000, unwritten: 200 };
/** How often a search is begun whose connection is closed under it. */
const mostTries = 3;

/** How records are kept in a file. */
export interface SqliteStoreOptions {
  readonly retention?: Partial<Retention>;
  /** Module with the API of `node:sqlite`; Node's own, else `@photostructure/sqlite`. */
  readonly driver?: string;
  /** Nothing is written, and a file that is missing, damaged or older is left as it is: reading rejects with the reason. */
  readonly isReadOnly?: boolean;
}

/**
 * Keeps records in a SQLite file, which several processes may share. Written by a thread; read here, through a
 * connection of its own, which never waits for a lock. The first lease opens the file at once, so that the first request has
 * its token; where the file is held, the thread takes it later.
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

class SqliteStore implements ProfileStore {
  readonly #file: SqliteFile;
  readonly #retention: Retention;
  readonly #process = identifyProcess();
  readonly #thread: WriterThread;
  #reading: { db: SqliteDatabase; reader: SqliteReader; search?: SqliteSearch } | undefined;
  #heritage: Heritage | undefined;
  /** The first lease is taken here, at once; whatever that came to, the next ones are the thread's. */
  #wasTried = false;
  /** Of this process in the present file. */
  #written = 0;
  #pruned: Record<PruneReason, number> = noneOfAnyReason();
  /** Of this process in files that are lost. */
  readonly #prunedBefore: Record<PruneReason, number> = noneOfAnyReason();
  #lost = 0;
  #setAside: string | null = null;
  #isClosed = false;

  constructor(file: SqliteFile, retention: Retention) {
    this.#file = file;
    this.#retention = retention;
    this.#thread = new WriterThread(file.path, () => this.#writerOptions(busyMs.thread));
  }

  lease(amount: number): Lease | Promise<Lease> {
    if (this.#heritage !== undefined || this.#wasTried) return this.#orderLease(amount);
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
    const { tally, news } = await this.#orderWrite(segments, counts);
    this.#apply(news);
    for (const segment of segments) this.#written += segment.keys.length;
    return this.#toTally(tally);
  }

  async secret(): Promise<string> {
    return this.#read((reader) => reader.secret());
  }

  async find(key: number): Promise<StoredRecord | AbsentRecord> {
    const end = performance.now() + timeoutsMs.unwritten;
    for (;;) {
      const found = await this.#read((reader) => reader.find(key, this.#process.run));
      if (typeof found === 'object') return readRecord(found);
      if (found !== 'unwritten' || performance.now() > end) return found;
      await pause(10);
    }
  }

  async search(search: StoreSearch): Promise<StorePage> {
    return this.#searching((searching) => searching.search(search));
  }

  async totals(order: StoreTotalsOrder): Promise<StoreTotals> {
    return this.#searching((searching) => searching.totals(order));
  }

  async news(order: StoreNewsOrder): Promise<StoreNews> {
    return this.#searching((searching) => searching.news(order));
  }

  async putNote(kind: string, name: string, text: string | null): Promise<void> {
    const { news } = await this.#thread.order({ kind: 'note', note: { kind, name, text } });
    this.#apply(news);
  }

  async notes(kind: string, name?: string): Promise<ReadonlyMap<string, string>> {
    return this.#read((reader) => reader.notes(kind, name));
  }

  async prune(bucket?: RecordBucket): Promise<StoreTally> {
    const { tally, news } = await this.#thread.order({ kind: 'prune', bucket });
    this.#apply(news);
    return this.#toTally(tally);
  }

  async tally(): Promise<StoreTally> {
    const { tally, news } = await this.#thread.order({ kind: 'tally' });
    this.#apply(news);
    return this.#toTally(tally);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    // Whoever is last brings the log of the file to its end, which only the writer can.
    this.#closeReading();
    await this.#thread.close();
  }

  processes(): Promise<readonly ProcessAccount[]> {
    return this.#read((reader) => reader.processes());
  }

  writeNow(segments: readonly Segment[], counts?: ProcessCounts): void {
    const writer = new ReopeningWriter(this.#writerOptions(busyMs.end));
    try {
      writer.write(segments, counts);
    } finally {
      writer.close();
    }
  }

  async #orderWrite(segments: readonly Segment[], counts: ProcessCounts | undefined): Promise<WriterReply> {
    try {
      return await this.#thread.order({ kind: 'write', segments, counts });
    } catch (error) {
      this.#closeReading(); // as in WriterThread: it must not keep the file as it was
      throw error;
    }
  }

  async #orderLease(amount: number): Promise<Lease> {
    const { lease, news } = await this.#thread.order({ kind: 'lease', amount });
    this.#apply(news);
    if (lease === undefined) throw new TypeError('The writer gave no lease.');
    return this.#leased(lease);
  }

  #leased(lease: Lease): Lease {
    this.#heritage = heritageOf(lease, this.#heritage);
    return lease;
  }

  /** A file that is held is tried again, while the loop goes on. */
  async #read<Result>(read: (reader: SqliteReader) => Result): Promise<Result> {
    const end = performance.now() + timeoutsMs.held;
    for (;;) {
      try {
        return read(this.#open());
      } catch (error) {
        const failure = this.#readingFailed(error);
        if (failure.code !== 'PROFILER_STORE_BUSY' || performance.now() > end) throw failure;
      }
      await pause(25);
    }
  }

  /**
   * For what gives way to others while it reads: a connection that was closed in between is no failure of the file, nor are
   * blocks that became others.
   */
  async #searching<Result>(read: (searching: SqliteSearch) => Promise<Result>): Promise<Result> {
    const searching = await import('./sqlite-search.js'); // a page asks
    for (let tries = 1; ; tries++) {
      await this.#read(() => undefined);
      const reading = this.#reading;
      try {
        if (reading === undefined) throw new TypeError('The file is not open.');
        return await read((reading.search ??= new searching.SqliteSearch(reading.db, reading.reader)));
      } catch (error) {
        const wasClosed = this.#reading !== reading && !this.#isClosed;
        const isChanged = reading === undefined || wasClosed || error instanceof searching.BlockUnreadable;
        if (!isChanged || tries === mostTries) throw this.#readingFailed(error);
      }
    }
  }

  #writerOptions(wait: number): ReopeningWriterOptions {
    return {
      busyMs: wait,
      file: this.#file,
      process: this.#process,
      retention: this.#retention,
      previous: this.#heritage,
    };
  }

  #open(): SqliteReader {
    if (this.#reading === undefined) {
      const { db, setAside } = openSqliteFile(this.#file, { heritage: this.#heritage, busyMs: 0 });
      this.#apply({ opened: false, lost: setAside !== null, setAside });
      this.#reading = { db, reader: new SqliteReader(db) };
    }
    return this.#reading.reader;
  }

  /** A record that cannot be read says nothing of the file. */
  #readingFailed(error: unknown): CodedError {
    if (isCodedError(error) && error.code.startsWith('PROFILER_RECORD_')) return error;
    this.#closeReading();
    return toStoreError(error, this.#file.path);
  }

  #closeReading(): void {
    closeQuietly(this.#reading?.db);
    this.#reading = undefined;
  }

  #apply({ opened, lost, setAside }: FileEvents): void {
    if (opened) this.#closeReading();
    if (setAside !== null) this.#setAside = setAside;
    if (!lost) return;
    let gone = 0;
    for (const reason of ['count', 'age', 'bytes', 'purge'] as const) {
      gone += this.#pruned[reason];
      this.#prunedBefore[reason] += this.#pruned[reason];
    }
    this.#lost += this.#written - gone;
    this.#written = 0;
    this.#pruned = noneOfAnyReason();
  }

  #toTally(tally: FileTally | undefined): StoreTally {
    if (tally === undefined) throw new TypeError('The writer gave no tally.');
    const { pruned, renamed, records, bytes } = tally;
    this.#pruned = pruned;
    const before = this.#prunedBefore;
    return {
      pruned: byReason((reason) => before[reason] + pruned[reason]),
      lost: this.#lost,
      setAside: this.#setAside,
      renamed,
      records,
      bytes,
    };
  }
}
