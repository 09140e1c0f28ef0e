import type { RecordBucket } from '../../model/profile-record.js';
import type { Retention } from '../../model/profile-store.js';
import { pageSize } from '../pages/database-pages.js';
import { query, type SqlProgram } from '../sql/sql-program.js';
import { type PrunedDatabase, pruneSome, pruneStep } from '../sql/sql-pruner.js';

/** Bounds that limit only the bytes. */
const bytesOnly = {
  records: Number.POSITIVE_INFINITY,
  profilerRecords: Number.POSITIVE_INFINITY,
  ageMs: Number.POSITIVE_INFINITY,
};
/** Number of segments to prune per step when room is made. */
const segmentsPerStep = 8;

/** Prunes what exceeds the retention, oldest first. Its programs run inside a transaction. */
export class SqlitePruner {
  readonly #retention: Retention;
  /** Maximum number of bytes in use in the file. */
  readonly #fileBytes: number;

  constructor(retention: Retention, fileBytes: number) {
    this.#retention = retention;
    this.#fileBytes = fileBytes;
  }

  apply(now: number): SqlProgram<void> {
    return pruneSome(sqliteFile, { retention: { ...this.#retention, bytes: this.#fileBytes }, now });
  }

  /** Makes room for `coming` bytes before they are inserted, because a file that has grown never shrinks. */
  *makeWay(coming: number): SqlProgram<void> {
    while (yield* this.pruneTo(Math.max(0, this.#fileBytes - coming)));
  }

  /** Prunes a few of the oldest segments. Returns false if at most `bytes` bytes are in use, or if nothing is left. */
  *pruneTo(bytes: number): SqlProgram<boolean> {
    if ((yield* usedBytes()) <= bytes) return false;
    const retention = { ...bytesOnly, bytes };
    return yield* pruneStep(sqliteFile, { retention, now: 0, limit: segmentsPerStep });
  }

  *purge(purged: RecordBucket): SqlProgram<void> {
    while (yield* pruneStep(sqliteFile, { retention: this.#retention, now: 0, purged }));
  }
}

/** Returns the number of bytes in pages that are not free. */
export function* usedBytes(): SqlProgram<number> {
  const [pages] = yield* query('PRAGMA page_count');
  const [free] = yield* query('PRAGMA freelist_count');
  return (Number(pages?.['page_count'] ?? 0) - Number(free?.['freelist_count'] ?? 0)) * pageSize;
}

const sqliteFile: PrunedDatabase = {
  end: '"end"',
  process: 'run',
  writtenAt: 'written_at',
  data: 'segment_data',
  tables: ['segment', 'segment_data'],
  *held() {
    const rows = yield* query('SELECT bucket, records FROM total');
    const records = new Map(rows.map((row) => [row['bucket'], Number(row['records'])]));
    return {
      app: records.get('app') ?? 0,
      profiler: records.get('profiler') ?? 0,
      bytes: yield* usedBytes(),
    };
  },
  *settle(bucket, reason, gone) {
    for (const [run, { records, bytes }] of gone) {
      yield* query(`UPDATE run SET pruned_${reason} = pruned_${reason} + $1 WHERE id = $2`, [records, run]);
      yield* query('UPDATE total SET records = records - $1, bytes = bytes - $2 WHERE bucket = $3', [
        records,
        bytes,
        bucket,
      ]);
    }
  },
};
