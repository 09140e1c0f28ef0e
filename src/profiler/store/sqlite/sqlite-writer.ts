import { performance } from 'node:perf_hooks';
import { deflateRawSync } from 'node:zlib';
import type { RecordBucket } from '../../model/profile-record.js';
import type { Lease, ProcessCounts, Retention, Segment, StoreTally } from '../../model/profile-store.js';
import type { StoreProcess } from '../remote/remote-store.js';
import { byReason } from '../policy/retention.js';
import { packKeysAndSums } from '../pages/block-sums.js';
import { deflateOptions } from '../remote/pack-segment.js';
import { runSync, type SqlProgram } from '../sql/sql-program.js';
import { addKeys, freeKeys, trimPruned } from '../sql/sql-ranges.js';
import { runTransaction, type SqliteDatabase, SqliteStatements } from './sqlite-database.js';
import { SqlitePruner, usedBytes } from './sqlite-pruner.js';

const dayMs = 24 * 60 * 60 * 1000;
/** Milliseconds since the newest record above which the system's clock may be wrong. */
const maxPauseMs = 30 * dayMs;

/** Counts of one process's records in a file, and the totals of the file. */
export type FileTally = Omit<StoreTally, 'lost' | 'setAside'>;

/** Place of a segment in a file that was set aside. */
export interface RestoredPlace {
  readonly id: number | null;
  readonly writtenAt: number;
  /** Number of its leading records that were pruned. */
  readonly gone: number;
}

export interface WriterBounds {
  readonly retention: Retention;
  readonly fileBytes: number;
}

const fileRanges = { end: '"end"' };
/**
 * Offset of the monotonic clock by which records age: a change of the system's clock while the process runs expires
 * nothing.
 */
const clock = Date.now() - performance.now();

/** Writes to an open file. Every method runs one transaction. */
export class SqliteWriter {
  /** Whether the file had no row for this process yet. */
  readonly isNew: boolean;
  readonly #db: SqliteDatabase;
  readonly #process: number;
  readonly #rows: SqliteStatements['rows'];
  readonly #pruner: SqlitePruner;
  readonly #openedAt = performance.now();
  /** Time at which the newest record that was already in the file was written. */
  readonly #newest: number;

  /** `fileBytes` is the maximum number of bytes in use in the file. */
  constructor(db: SqliteDatabase, process: StoreProcess, { retention, fileBytes }: WriterBounds) {
    const { run, host, pid, version, startedAt } = process;
    this.#db = db;
    this.#process = run;
    this.#rows = new SqliteStatements(db).rows;
    this.#pruner = new SqlitePruner(retention, fileBytes);
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
  }

  write(segments: readonly Segment[], counts?: ProcessCounts): FileTally {
    return this.#transaction(() => {
      const [run] = this.#rows('SELECT last_number FROM run WHERE id = $1', [this.#process]);
      const last = Number(run?.['last_number'] ?? -1);
      // A write whose answer was lost is repeated: segments that are already stored are skipped.
      const fresh = segments.filter((segment) => segment.number > last);
      for (const segment of fresh) this.#insert(segment);
      const written = fresh.reduce((sum, { keys }) => sum + keys.length, 0);
      const { made = 0, dropped = 0, pending = 0 } = counts ?? {};
      if (counts !== undefined)
        this.#rows(
          'UPDATE run SET written = written + $1, seen_at = $2, made = $3, dropped = $4, pending = $5 WHERE id = $6',
          [written, Date.now(), made, dropped, pending, this.#process],
        );
      const newest = fresh.at(-1);
      if (newest !== undefined)
        this.#rows('UPDATE run SET last_number = $1 WHERE id = $2', [newest.number, this.#process]);
      this.#run(this.#pruner.apply(this.#now()));
      return this.tally();
    });
  }

  prune(bucket: RecordBucket | undefined): FileTally {
    return this.#transaction(() => {
      if (bucket !== undefined) this.#run(this.#pruner.purge(bucket));
      this.#run(this.#pruner.apply(this.#now()));
      return this.tally();
    });
  }

  /**
   * Makes room on a full disk: checkpoints the log and prunes half of what is stored, in small steps with a checkpoint
   * after each, so that the log stays short. Throws the error of SQLite if there is no room even for that.
   */
  makeRoom(): void {
    const checkpoint = this.#db.prepare('PRAGMA wal_checkpoint(TRUNCATE)');
    checkpoint.get();
    const half = this.#run(usedBytes()) / 2;
    let isMore = true;
    while (isMore) {
      isMore = this.#transaction(() => this.#run(this.#pruner.pruneTo(half)));
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
      this.#db.prepare('INSERT INTO lease (start, end, run) VALUES (?, ?, ?)').run(from, to, this.#process);
      this.#run(trimPruned());
      return { secret, from, to };
    });
  }

  /** Returns whether any of the keys has a record in this file. */
  has(keys: readonly number[]): boolean {
    return this.#run(freeKeys(fileRanges, [keys])).renamed > 0;
  }

  /** Restores a segment of a file that was set aside, with its old id if that is free. */
  restore(segment: Segment, place: RestoredPlace): void {
    this.#transaction(() => {
      const isTaken =
        this.#db.prepare('SELECT 1 AS taken FROM segment WHERE id = ?').get(place.id) !== undefined;
      this.#insert(segment, { ...place, id: isTaken ? null : place.id });
    });
  }

  /**
   * Returns the time by which records age. If the system's clock is more than 30 days past the newest record, it may be
   * wrong: then records age as if no time had passed since, until the file is opened again or was open for a day.
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
    const directory = deflateRawSync(segment.directory, deflateOptions);
    const body = deflateRawSync(segment.body, deflateOptions);
    const packed = packKeysAndSums(keys, [directory, body]);
    const bytes = packed.length + directory.length + body.length + facts.length;
    this.#run(this.#pruner.makeWay(bytes));
    const [inserted] = this.#rows(
      `INSERT INTO segment (id, run, bucket, started_at, closed_at, written_at, records, gone, bytes, facts)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING id`,
      [id, this.#process, bucket, startedAt, closedAt, writtenAt, keys.length, gone, bytes, facts],
    );
    const own = Number(inserted?.['id']);
    this.#rows('INSERT INTO segment_data VALUES ($1, $2, $3, $4)', [own, packed, directory, body]);
    this.#run(addKeys([{ id: own, keys }]));
    this.#rows('UPDATE total SET records = records + $1, bytes = bytes + $2 WHERE bucket = $3', [
      keys.length - gone,
      bytes,
      bucket,
    ]);
  }

  /**
   * Returns the keys, with fresh ones for those already in use. Such keys should not exist, but must not cost a record.
   */
  #freeKeys(keys: readonly number[]): readonly number[] {
    const { keys: free, renamed } = this.#run(freeKeys(fileRanges, [keys]));
    if (renamed > 0)
      this.#rows('UPDATE run SET renamed = renamed + $1 WHERE id = $2', [renamed, this.#process]);
    return free[0] ?? keys;
  }

  /** Sets or deletes a note. The table is created with the first note: files without notes stay as they are. */
  putNote(kind: string, name: string, text: string | null): void {
    this.#db.exec(
      'CREATE TABLE IF NOT EXISTS note (kind TEXT, name TEXT, text TEXT NOT NULL, PRIMARY KEY (kind, name)) WITHOUT ROWID',
    );
    if (text === null) this.#db.prepare('DELETE FROM note WHERE kind = ? AND name = ?').run(kind, name);
    else this.#db.prepare('INSERT OR REPLACE INTO note VALUES (?, ?, ?)').run(kind, name, text);
  }

  tally(): FileTally {
    const [run = {}] = this.#rows('SELECT * FROM run WHERE id = $1', [this.#process]);
    const [total = {}] = this.#rows('SELECT sum(records) AS records, sum(bytes) AS bytes FROM total');
    return {
      pruned: byReason((reason) => Number(run[`pruned_${reason}`] ?? 0)),
      renamed: Number(run['renamed'] ?? 0),
      records: Number(total['records'] ?? 0),
      bytes: Number(total['bytes'] ?? 0),
    };
  }

  #run<Result>(program: SqlProgram<Result>): Result {
    return runSync(program, this.#rows);
  }

  #transaction<Result>(work: () => Result): Result {
    return runTransaction(this.#db, work);
  }
}
