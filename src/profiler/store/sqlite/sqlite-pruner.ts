import type { RecordBucket } from '../../model/profile-record.js';
import type { Retention } from '../../model/profile-store.js';
import type { PruneReason } from '../../model/record-lookup.js';
import { byReason } from '../policy/retention.js';
import { unpackKeys } from '../tokens/key-list.js';
import { KeyRanges } from './key-ranges.js';
import { PrunedRanges } from './pruned-ranges.js';
import { pageSize } from '../pages/database-pages.js';
import type { SqliteDatabase, SqliteStatement } from './sqlite-database.js';

interface OldSegment {
  readonly id: number;
  readonly run: number;
  readonly records: number;
  readonly gone: number;
  readonly bytes: number;
  readonly writtenAt: number;
}

/** Segments looked at in one transaction: the rest goes with the next ones, so that nobody waits long for the file. */
const segmentsPerRound = 200;

/** Takes away what the retention does not keep, oldest first, and remembers why. Runs inside a transaction. */
export class SqlitePruner {
  readonly #retention: Retention;
  readonly #oldest: SqliteStatement;
  readonly #total: SqliteStatement;
  readonly #pages: SqliteStatement;
  readonly #freePages: SqliteStatement;
  readonly #keys: SqliteStatement;
  readonly #deleteSegment: SqliteStatement;
  readonly #deleteData: SqliteStatement;
  readonly #addGone: SqliteStatement;
  readonly #subtract: SqliteStatement;
  readonly #count: Record<PruneReason, SqliteStatement>;
  readonly #ranges: KeyRanges;
  readonly #pruned: PrunedRanges;

  /** Bytes that the file may have in use. */
  readonly #fileBytes: number;

  constructor(db: SqliteDatabase, retention: Retention, fileBytes: number) {
    this.#retention = retention;
    this.#fileBytes = fileBytes;
    this.#pages = db.prepare('PRAGMA page_count');
    this.#freePages = db.prepare('PRAGMA freelist_count');
    this.#oldest = db.prepare(
      'SELECT id, run, records, gone, bytes, written_at FROM segment WHERE bucket = ? ORDER BY id LIMIT 1',
    );
    this.#total = db.prepare('SELECT records, bytes FROM total WHERE bucket = ?');
    this.#keys = db.prepare('SELECT keys FROM segment_data WHERE id = ?');
    this.#deleteSegment = db.prepare('DELETE FROM segment WHERE id = ?');
    this.#deleteData = db.prepare('DELETE FROM segment_data WHERE id = ?');
    this.#addGone = db.prepare('UPDATE segment SET gone = gone + ? WHERE id = ?');
    this.#subtract = db.prepare('UPDATE total SET records = records - ?, bytes = bytes - ? WHERE bucket = ?');
    this.#count = byReason((reason) =>
      db.prepare(`UPDATE run SET pruned_${reason} = pruned_${reason} + ? WHERE id = ?`),
    );
    this.#ranges = new KeyRanges(db);
    this.#pruned = new PrunedRanges(db);
  }

  apply(now: number): void {
    for (const bucket of ['app', 'profiler'] as const) {
      for (let count = 0; count < segmentsPerRound && this.#pruneOldest(bucket, now); count++);
    }
  }

  /** Makes room in the file for so many bytes that are about to come: a file that has grown stays so long. */
  makeWay(coming: number): void {
    while (this.pruneTo(Math.max(0, this.#fileBytes - coming)));
  }

  /** Prunes a few of the oldest segments. False once no more than so many bytes are in use, or nothing is left. */
  pruneTo(bytes: number): boolean {
    for (let count = 0; count < 8; count++) {
      if (this.usedBytes() <= bytes) return false;
      const bucket = this.#findOldest('app') === undefined ? 'profiler' : 'app';
      const old = this.#findOldest(bucket);
      if (old === undefined) return false;
      this.#remove(bucket, old, { count: old.records - old.gone, reason: 'bytes' });
    }
    return true;
  }

  /** Bytes of the pages that hold something. */
  usedBytes(): number {
    const pages = Number(this.#pages.get()?.['page_count'] ?? 0);
    return (pages - Number(this.#freePages.get()?.['freelist_count'] ?? 0)) * pageSize;
  }

  /** Bounds what is remembered. */
  forget(): void {
    this.#pruned.trim();
  }

  purge(bucket: RecordBucket): void {
    for (let old = this.#findOldest(bucket); old !== undefined; old = this.#findOldest(bucket)) {
      this.#remove(bucket, old, { count: old.records - old.gone, reason: 'purge' });
    }
  }

  /** False once the oldest segment may stay. */
  #pruneOldest(bucket: RecordBucket, now: number): boolean {
    const old = this.#findOldest(bucket);
    if (old === undefined) return false;
    const { records, ageMs, profilerRecords } = this.#retention;
    const total = this.#total.get(bucket) ?? {};
    const left = old.records - old.gone;
    if (old.writtenAt < now - ageMs) return this.#remove(bucket, old, { count: left, reason: 'age' });
    if (this.usedBytes() > this.#fileBytes)
      return this.#remove(bucket, old, { count: left, reason: 'bytes' });
    const excess = Number(total['records']) - (bucket === 'app' ? records : profilerRecords);
    return excess > 0 && this.#remove(bucket, old, { count: Math.min(left, excess), reason: 'count' });
  }

  #findOldest(bucket: RecordBucket): OldSegment | undefined {
    const row = this.#oldest.get(bucket);
    if (row === undefined) return undefined;
    return {
      id: Number(row['id']),
      run: Number(row['run']),
      records: Number(row['records']),
      gone: Number(row['gone']),
      bytes: Number(row['bytes']),
      writtenAt: Number(row['written_at']),
    };
  }

  #remove(
    bucket: RecordBucket,
    old: OldSegment,
    { count, reason }: { readonly count: number; readonly reason: PruneReason },
  ): boolean {
    const packed = this.#keys.get(old.id)?.['keys'];
    const all = packed instanceof Uint8Array ? unpackKeys(packed) : [];
    const keys = all.slice(old.gone, old.gone + count);
    const whole = old.gone + count >= old.records;
    if (whole) {
      this.#ranges.remove(all);
      this.#deleteSegment.run(old.id);
      this.#deleteData.run(old.id);
    } else this.#addGone.run(count, old.id);
    this.#subtract.run(count, whole ? old.bytes : 0, bucket);
    this.#count[reason].run(count, old.run);
    this.#pruned.add(keys, reason);
    return true;
  }
}
