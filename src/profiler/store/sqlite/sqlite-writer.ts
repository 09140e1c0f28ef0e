import { performance } from 'node:perf_hooks';
import { deflateRawSync } from 'node:zlib';
import type { RecordBucket } from '../../model/profile-record.js';
import type { Lease, ProcessCounts, Retention, Segment } from '../../model/profile-store.js';
import type { StoreProcess } from '../remote/remote-store.js';
import type { PruneReason } from '../../model/record-lookup.js';
import { byReason } from '../policy/retention.js';
import { packKeysAndSums } from '../pages/block-sums.js';
import { toRanges } from '../tokens/to-ranges.js';
import { KeyRanges } from './key-ranges.js';
import type { SqliteDatabase, SqliteStatement } from './sqlite-database.js';
import { SqlitePruner } from './sqlite-pruner.js';
import { TakenKeys } from '../tokens/taken-keys.js';

const dayMs = 24 * 60 * 60 * 1000;
/** A pause longer than this may be a clock that is wrong. */
const maxPauseMs = 30 * dayMs;

/** What a file holds of one process's records, and in all. */
export interface FileTally {
  readonly pruned: Record<PruneReason, number>;
  readonly renamed: number;
  readonly records: number;
  readonly bytes: number;
}

/** A text beside the records; null removes it. */
export interface GivenNote {
  readonly kind: string;
  readonly name: string;
  readonly text: string | null;
}

/** Where a segment stood in a file that was set aside. */
export interface RestoredPlace {
  readonly id: number | null;
  readonly writtenAt: number;
  /** How many of its first records were pruned. */
  readonly gone: number;
}

export interface WriterBounds {
  readonly retention: Retention;
  readonly fileBytes: number;
}

/** Fast, and neighbours are so alike that more effort gains little; more memory for its tables saves a quarter of the time. */
const compression = { level: 1, memLevel: 9 };
/** Clock of the retention: a step of the system's clock while the process runs ages nothing. */
const clock = Date.now() - performance.now();

/** Writes into an open file. Every method is one transaction. */
export class SqliteWriter {
  /** The file knew nothing of this process. */
  readonly isNew: boolean;
  readonly #db: SqliteDatabase;
  readonly #run: number;
  readonly #pruner: SqlitePruner;
  readonly #insertSegment: SqliteStatement;
  readonly #insertData: SqliteStatement;
  readonly #ranges: KeyRanges;
  readonly #lastNumber: SqliteStatement;
  readonly #setLastNumber: SqliteStatement;
  readonly #ofRun: SqliteStatement;
  readonly #ofAll: SqliteStatement;
  readonly #report: SqliteStatement;
  readonly #addTotal: SqliteStatement;
  readonly #openedAt = performance.now();
  /** When the newest record was written that was there already. */
  readonly #newest: number;

  /** `fileBytes`: how much the file may have in use. */
  constructor(db: SqliteDatabase, process: StoreProcess, { retention, fileBytes }: WriterBounds) {
    const { run, host, pid, version, startedAt } = process;
    this.#db = db;
    this.#run = run;
    this.#pruner = new SqlitePruner(db, retention, fileBytes);
    this.#insertSegment = db.prepare(
      `INSERT INTO segment (id, run, bucket, started_at, closed_at, written_at, records, gone, bytes, facts)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#insertData = db.prepare('INSERT INTO segment_data VALUES (?, ?, ?, ?)');
    this.#ranges = new KeyRanges(db);
    this.#lastNumber = db.prepare('SELECT last_number FROM run WHERE id = ?');
    this.#setLastNumber = db.prepare('UPDATE run SET last_number = ? WHERE id = ?');
    this.#ofRun = db.prepare('SELECT * FROM run WHERE id = ?');
    this.#ofAll = db.prepare('SELECT sum(records) AS records, sum(bytes) AS bytes FROM total');
    this.#addTotal = db.prepare('UPDATE total SET records = records + ?, bytes = bytes + ? WHERE bucket = ?');
    const last = db.prepare('SELECT written_at FROM segment ORDER BY id DESC LIMIT 1').get();
    this.#newest = Number(last?.['written_at'] ?? Number.POSITIVE_INFINITY);
    const { changes } = db
      .prepare('INSERT OR IGNORE INTO run (id, pid, started_at) VALUES (?, ?, ?)')
      .run(run, pid, startedAt);
    this.isNew = Number(changes) > 0;
    db.prepare('UPDATE run SET host = ?, process_id = ?, version = ? WHERE id = ?').run(
      host,
      pid,
      version,
      run,
    );
    this.#report = db.prepare(
      'UPDATE run SET written = written + ?, seen_at = ?, made = ?, dropped = ?, pending = ? WHERE id = ?',
    );
  }

  write(segments: readonly Segment[], counts?: ProcessCounts): FileTally {
    return this.#transaction(() => {
      const last = Number(this.#lastNumber.get(this.#run)?.['last_number'] ?? -1);
      // A write whose answer was lost comes again: what is there already is not written twice.
      const fresh = segments.filter((segment) => segment.number > last);
      for (const segment of fresh) this.#insert(segment);
      const written = fresh.reduce((sum, { keys }) => sum + keys.length, 0);
      const { made = 0, dropped = 0, pending = 0 } = counts ?? {};
      if (counts !== undefined) this.#report.run(written, Date.now(), made, dropped, pending, this.#run);
      const newest = fresh.at(-1);
      if (newest !== undefined) this.#setLastNumber.run(newest.number, this.#run);
      this.#pruner.apply(this.#now());
      return this.tally();
    });
  }

  prune(bucket: RecordBucket | undefined): FileTally {
    return this.#transaction(() => {
      if (bucket !== undefined) this.#pruner.purge(bucket);
      this.#pruner.apply(this.#now());
      return this.tally();
    });
  }

  /**
   * Makes room on a disk that is full: brings the log into the file and prunes half of what is stored, in small steps with
   * a checkpoint behind each, so that the log stays short. Throws what SQLite throws where not even that has room.
   */
  makeRoom(): void {
    const checkpoint = this.#db.prepare('PRAGMA wal_checkpoint(TRUNCATE)');
    checkpoint.get();
    const half = this.#pruner.usedBytes() / 2;
    let isMore = true;
    while (isMore) {
      isMore = this.#transaction(() => this.#pruner.pruneTo(half));
      checkpoint.get();
    }
  }

  lease(amount: number): Lease {
    return this.#transaction(() => {
      const meta = this.#db.prepare('SELECT value FROM meta WHERE name = ?');
      const secret = String(meta.get('secret')?.['value'] ?? '');
      const from = Number(meta.get('next')?.['value'] ?? 0);
      const to = from + amount;
      this.#db.prepare(`UPDATE meta SET value = ? WHERE name = 'next'`).run(to);
      this.#db.prepare('INSERT INTO lease (start, end, run) VALUES (?, ?, ?)').run(from, to, this.#run);
      this.#pruner.forget();
      return { secret, from, to };
    });
  }

  /** Whether any of the keys has a record here. */
  has(keys: readonly number[]): boolean {
    return toRanges(keys).some((range) => this.#ranges.meets(range));
  }

  /** Puts back a segment of a file that was set aside, in its old place among the others where that is free. */
  restore(segment: Segment, place: RestoredPlace): void {
    this.#transaction(() => {
      const isTaken =
        this.#db.prepare('SELECT 1 AS taken FROM segment WHERE id = ?').get(place.id) !== undefined;
      this.#insert(segment, { ...place, id: isTaken ? null : place.id });
    });
  }

  /**
   * Time by which records age: two clocks must agree on it. Where the system's clock is more than a month past the newest
   * record, records age as if no time had passed since, until the file is opened again or was open for a day.
   */
  #now(): number {
    const open = performance.now() - this.#openedAt;
    const isDoubtful = this.#openedAt + clock - this.#newest > maxPauseMs && open < dayMs;
    return isDoubtful ? this.#newest + open : performance.now() + clock;
  }

  #insert(
    segment: Segment,
    { id = null, writtenAt = performance.now() + clock, gone = 0 }: Partial<RestoredPlace> = {},
  ): void {
    const { bucket, startedAt, closedAt } = segment;
    const facts = JSON.stringify(segment.facts);
    const keys = this.#freeKeys(segment.keys);
    const directory = deflateRawSync(segment.directory, compression);
    const body = deflateRawSync(segment.body, compression);
    const packed = packKeysAndSums(keys, [directory, body]);
    const bytes = packed.length + directory.length + body.length + facts.length;
    this.#pruner.makeWay(bytes);
    const { lastInsertRowid } = this.#insertSegment.run(
      id,
      this.#run,
      bucket,
      startedAt,
      closedAt,
      writtenAt,
      keys.length,
      gone,
      bytes,
      facts,
    );
    this.#insertData.run(lastInsertRowid, packed, directory, body);
    this.#ranges.add(keys, lastInsertRowid);
    this.#addTotal.run(keys.length - gone, bytes, bucket);
  }

  /** The keys, those replaced that a record has already: which must not happen, and must not cost one if it does. */
  #freeKeys(keys: readonly number[]): readonly number[] {
    const ranges = toRanges(keys);
    const isFree = ranges.every((range) => !this.#ranges.meets(range));
    const distinct = ranges.reduce((sum, { start, end }) => sum + end - start, 0);
    if (isFree && distinct === keys.length) return keys;
    const taken = new TakenKeys((key) => this.#ranges.meets({ start: key, end: key + 1 }));
    const free = taken.replace(keys);
    this.#db.prepare('UPDATE run SET renamed = renamed + ? WHERE id = ?').run(taken.renamed, this.#run);
    return free;
  }

  /** The table is made with the first note: files without one stay as they are. */
  putNote({ kind, name, text }: GivenNote): void {
    this.#db.exec(
      'CREATE TABLE IF NOT EXISTS note (kind TEXT, name TEXT, text TEXT NOT NULL, PRIMARY KEY (kind, name)) WITHOUT ROWID',
    );
    if (text === null) this.#db.prepare('DELETE FROM note WHERE kind = ? AND name = ?').run(kind, name);
    else this.#db.prepare('INSERT OR REPLACE INTO note VALUES (?, ?, ?)').run(kind, name, text);
  }

  tally(): FileTally {
    const run = this.#ofRun.get(this.#run) ?? {};
    const total = this.#ofAll.get() ?? {};
    return {
      pruned: byReason((reason) => Number(run[`pruned_${reason}`] ?? 0)),
      renamed: Number(run['renamed'] ?? 0),
      records: Number(total['records'] ?? 0),
      bytes: Number(total['bytes'] ?? 0),
    };
  }

  #transaction<Result>(work: () => Result): Result {
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.#db.exec('COMMIT');
      return result;
    } catch (error) {
      try {
        this.#db.exec('ROLLBACK');
      } catch {
        // SQLite rolled back by itself; the first error says more.
      }
      throw error;
    }
  }
}
