import type { RecordBucket } from '../../model/profile-record.js';
import type { Retention } from '../../model/profile-store.js';
import type { PruneReason } from '../../model/record-lookup.js';
import { columnBytes } from '../pages/block-sums.js';
import { unpackKeys } from '../tokens/key-list.js';
import { query, type SqlProgram } from './sql-program.js';
import { type RangeTables, rememberPruned, removeKeys } from './sql-ranges.js';
import type { SqlRow } from './sql-reader.js';

/** Number of segments to examine in the first step and in the largest one: most writes push out only a few. */
const stepSizes = { first: 16, largest: 256 };

interface OldSegment {
  readonly id: number;
  readonly process: number;
  readonly left: number;
  readonly gone: number;
  readonly bytes: number;
  readonly writtenAt: number;
}

/** What to prune: all records of `whole`, and the first `partly.count` remaining records of the segment after them. */
interface PruneChoice {
  readonly reason: PruneReason;
  readonly whole: readonly OldSegment[];
  readonly partly?: { readonly segment: OldSegment; readonly count: number };
}

/** What a database contains: records of each bucket, and bytes. */
export interface HeldRecords {
  readonly app: number;
  readonly profiler: number;
  readonly bytes: number;
}

/** Pruned records and bytes, by the process that wrote them. */
export type GoneRecords = ReadonlyMap<number, { readonly records: number; readonly bytes: number }>;

/** The differences between databases that matter for pruning. */
export interface PrunedDatabase extends RangeTables {
  /** The column that refers to the process, the expression for the time of writing, and the table with the keys. */
  readonly process: string;
  readonly writtenAt: string;
  readonly data: string;
  /** Tables with a row for each segment. */
  readonly tables: readonly string[];
  held(): SqlProgram<HeldRecords>;
  /** Subtracts pruned records from the totals, and counts them for the processes that wrote them. */
  settle(bucket: RecordBucket, reason: PruneReason, gone: GoneRecords): SqlProgram<void>;
}

interface PruneOrder {
  readonly retention: Retention;
  /** Current time, by the clock by which records age. */
  readonly now: number;
  /** Bucket to prune entirely. */
  readonly purged?: RecordBucket | undefined;
  /** Maximum number of segments to examine per bucket. */
  readonly limit?: number;
}

/** Prunes what exceeds the retention, oldest first, at most a few hundred segments. */
export function* pruneSome(db: PrunedDatabase, order: PruneOrder): SqlProgram<void> {
  for (let limit = stepSizes.first; limit <= stepSizes.largest; limit *= 4)
    if (!(yield* pruneStep(db, { ...order, limit }))) return;
}

/** Prunes some of the oldest segments and stores the reason. Returns false if all others may stay. */
export function* pruneStep(
  db: PrunedDatabase,
  { limit = stepSizes.largest, purged, ...order }: PruneOrder,
): SqlProgram<boolean> {
  let isMore = false;
  const held = yield* db.held();
  for (const bucket of purged === undefined ? (['app', 'profiler'] as const) : [purged]) {
    const old = yield* oldestOf(db, bucket, limit);
    if (old.length === 0) continue;
    const choice =
      purged === undefined
        ? choosePruned(old, { bucket, held, ...order })
        : { reason: 'purge' as const, whole: old };
    if (choice === undefined) continue;
    yield* remove(db, bucket, choice);
    // The count is checked last: there is more to do only if it took all segments that were examined.
    isMore ||= choice.reason !== 'count' || choice.whole.length === old.length;
  }
  return isMore;
}

/** Chooses what to prune first. Returns undefined if all segments may stay. */
function choosePruned(
  old: readonly OldSegment[],
  { bucket, now, held, retention }: PruneOrder & { bucket: RecordBucket; held: HeldRecords },
): PruneChoice | undefined {
  // Only leading segments expire, whatever the clock was when they were written: the rest stays contiguous.
  const young = old.findIndex(({ writtenAt }) => !(writtenAt < now - retention.ageMs));
  if (young !== 0) return { reason: 'age', whole: young === -1 ? old : old.slice(0, young) };
  let excessBytes = bucket === 'app' || held.app === 0 ? held.bytes - retention.bytes : 0;
  const heavy = old.filter(({ bytes }) => {
    const goes = excessBytes > 0;
    excessBytes -= bytes;
    return goes;
  });
  if (heavy.length > 0) return { reason: 'bytes', whole: heavy };
  let excess = held[bucket] - (bucket === 'app' ? retention.records : retention.profilerRecords);
  if (excess <= 0) return undefined;
  const whole: OldSegment[] = [];
  for (const segment of old) {
    if (segment.left > excess)
      return {
        reason: 'count',
        whole,
        ...(excess === 0 ? {} : { partly: { segment, count: excess } }),
      };
    whole.push(segment);
    excess -= segment.left;
  }
  return { reason: 'count', whole };
}

function* remove(
  db: PrunedDatabase,
  bucket: RecordBucket,
  { reason, whole, partly }: PruneChoice,
): SqlProgram<void> {
  const gone = new Map<number, { records: number; bytes: number }>();
  const count = (process: number, records: number, bytes: number): void => {
    const known = gone.get(process) ?? { records: 0, bytes: 0 };
    gone.set(process, { records: known.records + records, bytes: known.bytes + bytes });
  };
  for (const { process, left, bytes } of whole) count(process, left, bytes);
  if (partly !== undefined) count(partly.segment.process, partly.count, 0);
  const keys = yield* keysOf(db, [...whole, ...(partly === undefined ? [] : [partly.segment])]);
  if (whole.length > 0) {
    const ids = whole.map(({ id }) => id).join(', ');
    yield* removeKeys(
      whole.map(({ id }) => id),
      whole.flatMap(({ id }) => keys.get(id) ?? []),
    );
    for (const table of db.tables) yield* query(`DELETE FROM ${table} WHERE id IN (${ids})`);
  }
  const went = whole.flatMap(({ id, gone: before }) => (keys.get(id) ?? []).slice(before));
  if (partly !== undefined) {
    const { id, gone: before } = partly.segment;
    went.push(...(keys.get(id) ?? []).slice(before, before + partly.count));
    yield* query(`UPDATE segment SET gone = gone + ${partly.count} WHERE id = ${id}`);
  }
  yield* rememberPruned(db, went, reason);
  yield* db.settle(bucket, reason, gone);
}

function* oldestOf(
  { process, writtenAt }: PrunedDatabase,
  bucket: RecordBucket,
  limit: number,
): SqlProgram<readonly OldSegment[]> {
  const rows = yield* query(
    `SELECT id, ${process} AS process, records - gone AS remaining, gone, bytes, ${writtenAt} AS written
     FROM segment WHERE bucket = $1 ORDER BY id LIMIT ${limit}`,
    [bucket],
  );
  return rows.map((row) => ({
    id: Number(row['id']),
    process: Number(row['process']),
    left: Number(row['remaining']),
    gone: Number(row['gone']),
    bytes: Number(row['bytes']),
    writtenAt: Number(row['written']),
  }));
}

function* keysOf(
  { data }: PrunedDatabase,
  segments: readonly OldSegment[],
): SqlProgram<ReadonlyMap<number, readonly number[]>> {
  const ids = segments.map(({ id }) => id).join(', ');
  const rows = yield* query(`SELECT id, keys FROM ${data} WHERE id IN (${ids})`);
  return new Map(rows.map((row) => [Number(row['id']), readKeys(row)]));
}

/** Returns no keys if they are damaged; the segment is pruned all the same. */
function readKeys(row: SqlRow): readonly number[] {
  try {
    return unpackKeys(columnBytes(row, 'keys'));
  } catch {
    return [];
  }
}
