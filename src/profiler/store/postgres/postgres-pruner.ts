import type { RecordBucket } from '../../model/profile-record.js';
import type { Retention } from '../../model/profile-store.js';
import type { PruneReason } from '../../model/record-lookup.js';
import type { PostgresConnection, PostgresRow, Transaction } from './postgres-connection.js';
import { endOfPartition, lockOf, quote, writtenAtOf } from './postgres-schema.js';
import type { WriteOutcome } from './postgres-writer.js';

/** Segments taken away in one transaction, and milliseconds after which the rest waits for the next write. */
const segmentsPerRound = 256;
const maxRoundMs = 2000;
/** Ranges that are remembered, and how many may come before neighbours are joined. */
const maxRanges = 20_000;
const joinThreshold = 2000;
/** Milliseconds between two looks for whole days, and what dropping one may take. */
const checkIntervalMs = 60_000;
const dropTimeoutMs = 120_000;

interface OldSegment {
  readonly id: string;
  readonly process: string;
  readonly left: number;
  readonly gone: number;
  readonly bytes: number;
}

/** What goes of the oldest segments: all of these, and `partly` records of the one behind them. */
interface Going {
  readonly reason: PruneReason;
  readonly whole: readonly OldSegment[];
  readonly partly?: { readonly segment: OldSegment; readonly count: number };
}

type Held = Pick<WriteOutcome, 'app' | 'profiler'> & { readonly bytes: number };

/** Takes away what the retention does not keep, oldest first, and remembers why. One process at a time does it. */
export class PostgresPruner {
  readonly #connection: PostgresConnection;
  readonly #schema: string;
  readonly #retention: Retention;
  /** When the oldest segment was written, as far as is known. */
  #oldest = Number.NEGATIVE_INFINITY;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #joined = 0;

  constructor(connection: PostgresConnection, schema: string, retention: Retention) {
    this.#connection = connection;
    this.#schema = schema;
    this.#retention = retention;
  }

  /** True where something may have gone. */
  async apply({ app, profiler, tally }: WriteOutcome): Promise<boolean> {
    const { records, profilerRecords, bytes, ageMs } = this.#retention;
    const isOld = this.#oldest < Date.now() - ageMs;
    if (app <= records && profiler <= profilerRecords && tally.bytes <= bytes && !isOld) return false;
    if (isOld && performance.now() - this.#lookedAt > checkIntervalMs) await this.#dropDays();
    const end = performance.now() + maxRoundMs;
    while ((await this.#step(undefined)) && performance.now() < end);
    return true;
  }

  async purge(bucket: RecordBucket): Promise<void> {
    while (await this.#step(bucket));
  }

  /** Some of the oldest segments; false once all may stay, or while another process prunes. `purged`: all of a bucket goes. */
  #step(purged: RecordBucket | undefined): Promise<boolean> {
    return this.#connection.transaction(async (transaction) => {
      const { isMine, now } = await this.#begin(transaction);
      if (!isMine && purged === undefined) return false;
      let isMore = false;
      for (const bucket of purged === undefined ? (['app', 'profiler'] as const) : [purged]) {
        const old = await oldestOf(transaction, bucket);
        const going =
          purged === undefined
            ? this.#choose(old, { bucket, now, held: await heldBy(transaction) })
            : old.length === 0
              ? undefined
              : { reason: 'purge' as const, whole: old };
        if (bucket === 'app') this.#oldest = old[0] === undefined ? now : writtenAtOf(old[0].id);
        if (going === undefined) continue;
        await this.#remove(transaction, bucket, going);
        isMore = true;
      }
      return isMore;
    });
  }

  /** What has to go first; undefined where all may stay. */
  #choose(
    old: readonly OldSegment[],
    { bucket, now, held }: { bucket: RecordBucket; now: number; held: Held },
  ): Going | undefined {
    const { records, profilerRecords, bytes, ageMs } = this.#retention;
    const aged = old.filter(({ id }) => writtenAtOf(id) < now - ageMs);
    if (aged.length > 0) return { reason: 'age', whole: aged };
    let excessBytes = held.bytes - bytes;
    const heavy = old.filter((segment) => {
      const goes = excessBytes > 0;
      excessBytes -= segment.bytes;
      return goes;
    });
    if (heavy.length > 0 && bucket === 'app') return { reason: 'bytes', whole: heavy };
    let excess = bucket === 'app' ? held.app - records : held.profiler - profilerRecords;
    if (excess <= 0) return undefined;
    const whole: OldSegment[] = [];
    for (const segment of old) {
      if (segment.left > excess)
        return excess === 0
          ? { reason: 'count', whole }
          : { reason: 'count', whole, partly: { segment, count: excess } };
      whole.push(segment);
      excess -= segment.left;
    }
    return { reason: 'count', whole };
  }

  async #remove(
    transaction: Transaction,
    bucket: RecordBucket,
    { reason, whole, partly }: Going,
  ): Promise<void> {
    const gone = new Map<string, { records: number; bytes: number }>();
    const count = (process: string, records: number, bytes: number): void => {
      const known = gone.get(process) ?? { records: 0, bytes: 0 };
      gone.set(process, { records: known.records + records, bytes: known.bytes + bytes });
    };
    for (const { process, left, bytes } of whole) count(process, left, bytes);
    const ids = whole.map(({ id }) => id);
    // The segments of a bucket that are the oldest are mostly neighbours; records of the other bucket between them stay.
    await transaction.rows(
      `WITH removed AS (DELETE FROM record WHERE segment = ANY($1::bigint[]) RETURNING key) ${remember('removed')}`,
      [ids, reason],
    );
    await transaction.rows('DELETE FROM segment WHERE id = ANY($1::bigint[])', [ids]);
    if (partly !== undefined) {
      const { segment } = partly;
      count(segment.process, partly.count, 0);
      await transaction.rows(
        `WITH removed AS (DELETE FROM record WHERE segment = $1 AND place < $3 RETURNING key) ${remember('removed')}`,
        [segment.id, reason, segment.gone + partly.count],
      );
      await transaction.rows('UPDATE segment SET gone = gone + $2 WHERE id = $1', [segment.id, partly.count]);
    }
    await settle(transaction, { bucket, reason, gone });
    this.#joined += whole.length;
    if (this.#joined >= joinThreshold) {
      this.#joined = 0;
      await transaction.rows(joinRanges);
    }
  }

  /** Drops the tables of days that are too old as a whole. */
  async #dropDays(): Promise<void> {
    this.#lookedAt = performance.now();
    await this.#connection.transaction(
      async (transaction) => {
        const { isMine, now } = await this.#begin(transaction);
        if (!isMine) return;
        const limit = BigInt(Math.floor(now - this.#retention.ageMs)) << 20n;
        const tables = await transaction.rows(
          `SELECT relname AS name FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid WHERE inhparent = 'segment'::regclass`,
        );
        const old = tables.map((row) => String(row['name'])).filter((name) => endOfPartition(name) <= limit);
        // Writers hold their rows while they wait for the tables: here the rows come first as well.
        if (old.length > 0) await transaction.rows('SELECT 1 FROM process ORDER BY id FOR UPDATE');
        for (const name of old) await dropDay(transaction, name.replace(/^segment_/, ''));
      },
      { longest: dropTimeoutMs },
    );
  }

  /** Time by which records age: two clocks must agree on it, so that a step of one of them ages nothing. */
  async #begin(transaction: Transaction): Promise<{ isMine: boolean; now: number }> {
    const [row = {}] = await transaction.rows(
      `BEGIN; SET LOCAL search_path TO ${this.#schema}; SET LOCAL lock_timeout = '2s';
       SELECT pg_try_advisory_xact_lock(${lockOf('prune', this.#schema)}) AS mine,
         extract(epoch FROM clock_timestamp()) * 1000 AS now`,
    );
    return { isMine: row['mine'] === true, now: Math.min(Number(row['now']), Date.now()) };
  }
}

async function oldestOf(transaction: Transaction, bucket: RecordBucket): Promise<readonly OldSegment[]> {
  const rows = await transaction.rows(
    `SELECT id, process, records - gone AS left, gone, bytes FROM segment WHERE bucket = $1 ORDER BY id LIMIT ${segmentsPerRound}`,
    [bucket],
  );
  return rows.map((row) => ({
    id: String(row['id']),
    process: String(row['process']),
    left: Number(row['left']),
    gone: Number(row['gone']),
    bytes: Number(row['bytes']),
  }));
}

async function heldBy(transaction: Transaction): Promise<Held> {
  const [row = {}] = await transaction.rows(
    'SELECT sum(app) AS app, sum(profiler) AS profiler, sum(bytes) AS bytes FROM process',
  );
  return { app: Number(row['app']), profiler: Number(row['profiler']), bytes: Number(row['bytes']) };
}

/** Keeps the keys of removed records as ranges, with the reason `$2`. Random keys are in no order: they are not kept. */
function remember(removed: string): string {
  return `INSERT INTO pruned (start, stop, reason)
    SELECT min(key), max(key) + 1, $2::text
    FROM (SELECT key, key - row_number() OVER (ORDER BY key) AS island FROM ${removed} WHERE key >= 0) AS keys
    GROUP BY island ON CONFLICT DO NOTHING`;
}

/** Neighbours become one range; of too many, the oldest are forgotten. */
const joinRanges = `
  WITH old AS (DELETE FROM pruned RETURNING start, stop, reason),
  marked AS (
    SELECT *, CASE WHEN start = lag(stop) OVER sorted AND reason = lag(reason) OVER sorted THEN 0 ELSE 1 END AS begins
    FROM old WINDOW sorted AS (ORDER BY start)
  ), numbered AS (SELECT *, sum(begins) OVER (ORDER BY start) AS island FROM marked)
  INSERT INTO pruned SELECT min(start), max(stop), min(reason) FROM numbered GROUP BY island
  ORDER BY 1 DESC LIMIT ${maxRanges}`;

/** Books what went on the processes that wrote it. */
async function settle(
  transaction: Transaction,
  {
    bucket,
    reason,
    gone,
  }: {
    bucket: RecordBucket;
    reason: PruneReason;
    gone: ReadonlyMap<string, { records: number; bytes: number }>;
  },
): Promise<void> {
  await transaction.rows(
    `UPDATE process SET ${bucket} = ${bucket} - went.records, bytes = process.bytes - went.bytes,
       pruned_${reason} = pruned_${reason} + went.records
     FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS went (id, records, bytes) WHERE process.id = went.id`,
    [
      [...gone.keys()],
      [...gone.values()].map(({ records }) => records),
      [...gone.values()].map(({ bytes }) => bytes),
    ],
  );
}

async function dropDay(transaction: Transaction, day: string): Promise<void> {
  const [segments, records] = [quote(`segment_${day}`), quote(`record_${day}`)];
  // From the first key to the last, which the index knows: a key between them that has no record is as old. Those whose records
  // stand in the next day are found there.
  const bounds = `(SELECT min(key) AS start, max(key) + 1 AS stop FROM ${records} WHERE key >= 0) AS day`;
  await transaction.rows(
    `DELETE FROM pruned USING ${bounds} WHERE pruned.start >= day.start AND pruned.stop <= day.stop;
     INSERT INTO pruned SELECT start, stop, 'age' FROM ${bounds} WHERE start IS NOT NULL ON CONFLICT DO NOTHING`,
  );
  const sums = await transaction.rows(
    `SELECT process, bucket, sum(records - gone) AS records, sum(bytes) AS bytes FROM ${segments} GROUP BY process, bucket`,
  );
  for (const bucket of ['app', 'profiler'] as const) {
    const gone = sums
      .filter((row: PostgresRow) => row['bucket'] === bucket)
      .map((row): [string, { records: number; bytes: number }] => [
        String(row['process']),
        { records: Number(row['records']), bytes: Number(row['bytes']) },
      ]);
    await settle(transaction, { bucket, reason: 'age', gone: new Map(gone) });
  }
  await transaction.rows(`DROP TABLE ${records}; DROP TABLE ${segments}`);
}
