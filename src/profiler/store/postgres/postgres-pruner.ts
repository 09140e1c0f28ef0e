import type { RecordBucket } from '../../model/profile-record.js';
import type { Retention } from '../../model/profile-store.js';
import { runAsync, type SqlProgram, query } from '../sql/sql-program.js';
import { type PrunedDatabase, pruneStep } from '../sql/sql-pruner.js';
import { trimPruned } from '../sql/sql-ranges.js';
import type { PostgresConnection, Statements } from './postgres-connection.js';
import { endOfPartition, idAt, idsOfMillisecond, lockOf, quote } from './postgres-schema.js';
import type { WriteOutcome } from './postgres-writer.js';

/** Maximum duration of one round in milliseconds; the rest waits for the next write. */
const maxRoundMs = 2000;
/** Milliseconds between checks for days that expired as a whole, and the timeout for dropping one. */
const checkIntervalMs = 60_000;
const dropTimeoutMs = 120_000;

/** Prunes what exceeds the retention, oldest first, and stores the reason. Only one process prunes at a time. */
export class PostgresPruner {
  readonly #connection: PostgresConnection;
  readonly #schema: string;
  readonly #retention: Retention;
  /** Time at which the oldest segment was written; -Infinity while unknown. */
  #oldest = Number.NEGATIVE_INFINITY;
  #daysCheckedAt = Number.NEGATIVE_INFINITY;

  constructor(connection: PostgresConnection, schema: string, retention: Retention) {
    this.#connection = connection;
    this.#schema = schema;
    this.#retention = retention;
  }

  /** Returns whether records may have been pruned. */
  async apply({ app, profiler, tally }: WriteOutcome): Promise<boolean> {
    const { records, profilerRecords, bytes, ageMs } = this.#retention;
    const isOld = this.#oldest < Date.now() - ageMs;
    if (app <= records && profiler <= profilerRecords && tally.bytes <= bytes && !isOld) return false;
    if (isOld && performance.now() - this.#daysCheckedAt > checkIntervalMs) await this.#dropDays();
    const end = performance.now() + maxRoundMs;
    while ((await this.#step(undefined)) && performance.now() < end);
    return true;
  }

  async purge(bucket: RecordBucket): Promise<void> {
    while (await this.#step(bucket));
  }

  /**
   * Prunes some of the oldest segments. Returns false if all others may stay, or if another process is pruning. With
   * `purged`, the whole bucket is pruned, whether or not another process is pruning.
   */
  #step(purged: RecordBucket | undefined): Promise<boolean> {
    return this.#connection.transaction(async (transaction) => {
      const { isMine, now } = await this.#begin(transaction);
      if (!isMine && purged === undefined) return false;
      const run = <Result>(program: SqlProgram<Result>): Promise<Result> =>
        runAsync(program, (text, values) => transaction.rows(text, values));
      const isMore = await run(pruneStep(tablesOfDays, { retention: this.#retention, now, purged }));
      if (!isMore) await run(trimPruned());
      const [first] = await transaction.rows(
        `SELECT id FROM segment WHERE bucket = 'app' ORDER BY id LIMIT 1`,
      );
      this.#oldest = first === undefined ? now : Math.floor(Number(first['id']) / idsOfMillisecond);
      return isMore;
    });
  }

  /** Drops the partitions of days that expired as a whole. */
  async #dropDays(): Promise<void> {
    this.#daysCheckedAt = performance.now();
    await this.#connection.transaction(
      async (transaction) => {
        const { isMine, now } = await this.#begin(transaction);
        if (!isMine) return;
        const limit = idAt(now - this.#retention.ageMs);
        const tables = await transaction.rows(
          `SELECT relname AS name FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid WHERE inhparent = 'segment'::regclass`,
        );
        const old = tables.map((row) => String(row['name'])).filter((name) => endOfPartition(name) <= limit);
        // Writers lock their rows before the tables; locking in the same order here avoids a deadlock.
        if (old.length > 0) await transaction.rows('SELECT 1 FROM process ORDER BY id FOR UPDATE');
        for (const name of old) await dropDay(transaction, name.replace(/^segment_/, ''));
      },
      { statementTimeoutMs: dropTimeoutMs },
    );
  }

  /**
   * Begins a transaction. `now` is the earlier time of the server's and the local clock, so that a forward jump of one
   * of them expires nothing.
   */
  async #begin(transaction: Statements): Promise<{ isMine: boolean; now: number }> {
    const [row = {}] = await transaction.rows(
      `BEGIN; SET LOCAL search_path TO ${this.#schema}; SET LOCAL lock_timeout = '2s';
       SELECT pg_try_advisory_xact_lock(${lockOf('prune', this.#schema)}) AS mine,
         extract(epoch FROM clock_timestamp()) * 1000 AS now`,
    );
    return { isMine: row['mine'] === true, now: Math.min(Number(row['now']), Date.now()) };
  }
}

const tablesOfDays: PrunedDatabase = {
  end: 'stop',
  process: 'process',
  writtenAt: `id / ${idsOfMillisecond}`,
  data: 'segment',
  tables: ['segment'],
  *held() {
    const [row = {}] = yield* query(
      'SELECT sum(app) AS app, sum(profiler) AS profiler, sum(bytes) AS bytes FROM process',
    );
    return { app: Number(row['app']), profiler: Number(row['profiler']), bytes: Number(row['bytes']) };
  },
  *settle(bucket, reason, gone) {
    yield* query(
      `UPDATE process SET ${bucket} = ${bucket} - went.records, bytes = process.bytes - went.bytes,
         pruned_${reason} = pruned_${reason} + went.records
       FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS went (id, records, bytes) WHERE process.id = went.id`,
      [
        [...gone.keys()],
        [...gone.values()].map(({ records }) => records),
        [...gone.values()].map(({ bytes }) => bytes),
      ],
    );
  },
};

async function dropDay(transaction: Statements, day: string): Promise<void> {
  const [segments, ranges] = [quote(`segment_${day}`), quote(`key_range_${day}`)];
  // The range from the first key to the last, which the index provides: a key in between that has no record is equally
  // old. Keys whose records are in the partition of the next day are found there.
  const bounds = `(SELECT min(start) AS start, max(stop) AS stop FROM ${ranges} WHERE start >= 0) AS day`;
  await transaction.rows(
    `DELETE FROM pruned USING ${bounds} WHERE pruned.start >= day.start AND pruned.stop <= day.stop;
     INSERT INTO pruned SELECT start, stop, 'age' FROM ${bounds} WHERE start IS NOT NULL ON CONFLICT DO NOTHING`,
  );
  const sums = await transaction.rows(
    `SELECT process, bucket, sum(records - gone) AS records, sum(bytes) AS bytes FROM ${segments} GROUP BY process, bucket`,
  );
  for (const bucket of ['app', 'profiler'] as const) {
    const gone = sums
      .filter((row) => row['bucket'] === bucket)
      .map((row): [number, { records: number; bytes: number }] => [
        Number(row['process']),
        { records: Number(row['records']), bytes: Number(row['bytes']) },
      ]);
    await runAsync(tablesOfDays.settle(bucket, 'age', new Map(gone)), (text, values) =>
      transaction.rows(text, values),
    );
  }
  await transaction.rows(`DROP TABLE ${ranges}; DROP TABLE ${segments}`);
}
