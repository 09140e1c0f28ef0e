import type { RecordBucket } from '../../model/profile-record.js';
import type { Retention } from '../../model/profile-store.js';
import type { PruneReason } from '../../model/record-lookup.js';
import { columnBytes } from '../pages/block-sums.js';
import { unpackKeys } from '../tokens/key-list.js';
import { ask, type SqlProgram } from './sql-program.js';
import { type RangeTables, rememberPruned, removeKeys } from './sql-ranges.js';
import type { SqlRow } from './sql-reader.js';

/** Segments looked at at first, and at most, before what goes of them goes: most writes push out few. */
const looks = { first: 16, greatest: 256 };

interface OldSegment {
  readonly id: number;
  readonly process: number;
  readonly left: number;
  readonly gone: number;
  readonly bytes: number;
  readonly writtenAt: number;
}

/** What goes of the oldest segments: all of these, and `partly` records of the one behind them. */
interface Going {
  readonly reason: PruneReason;
  readonly whole: readonly OldSegment[];
  readonly partly?: { readonly segment: OldSegment; readonly count: number };
}

/** What there is: records of each bucket, and bytes. */
export interface HeldRecords {
  readonly app: number;
  readonly profiler: number;
  readonly bytes: number;
}

/** Records and bytes that went, of each process that wrote them. */
export type GoneRecords = ReadonlyMap<number, { readonly records: number; readonly bytes: number }>;

/** A database that is pruned, where it is not as another one. */
export interface PrunedDatabase extends RangeTables {
  /** The column that refers to the process, the one that says when, and the table with the keys. */
  readonly process: string;
  readonly writtenAt: string;
  readonly data: string;
  /** Tables with a row for each segment. */
  readonly tables: readonly string[];
  held(): SqlProgram<HeldRecords>;
  /** Books what went on the processes that wrote it. */
  settle(bucket: RecordBucket, reason: PruneReason, gone: GoneRecords): SqlProgram<void>;
}

interface PruneOrder {
  readonly retention: Retention;
  /** By the clock that records age by. */
  readonly now: number;
  /** All of this bucket goes. */
  readonly purged?: RecordBucket | undefined;
  /** Segments of each bucket that are looked at. */
  readonly limit?: number;
}

/** Takes away what the retention does not keep, oldest first, some hundred segments at most. */
export function* pruneSome(db: PrunedDatabase, order: PruneOrder): SqlProgram<void> {
  for (let limit = looks.first; limit <= looks.greatest; limit *= 4)
    if (!(yield* pruneStep(db, { ...order, limit }))) return;
}

/** Some of the oldest segments, and why they went is remembered; false once all others may stay. */
export function* pruneStep(
  db: PrunedDatabase,
  { limit = looks.greatest, purged, ...order }: PruneOrder,
): SqlProgram<boolean> {
  let isMore = false;
  const held = yield* db.held();
  for (const bucket of purged === undefined ? (['app', 'profiler'] as const) : [purged]) {
    const old = yield* oldestOf(db, bucket, limit);
    if (old.length === 0) continue;
    const going =
      purged === undefined
        ? chooseGoing(old, { bucket, held, ...order })
        : { reason: 'purge' as const, whole: old };
    if (going === undefined) continue;
    yield* remove(db, bucket, going);
    // By their count goes what is looked for last.
    isMore ||= going.reason !== 'count' || going.whole.length === old.length;
  }
  return isMore;
}

/** What has to go first; undefined where all may stay. */
function chooseGoing(
  old: readonly OldSegment[],
  { bucket, now, held, retention }: PruneOrder & { bucket: RecordBucket; held: HeldRecords },
): Going | undefined {
  // Only from the beginning, whatever the clock was when they were written: what is left stays one piece.
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
  { reason, whole, partly }: Going,
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
    for (const table of db.tables) yield* ask(`DELETE FROM ${table} WHERE id IN (${ids})`);
  }
  const went = whole.flatMap(({ id, gone: before }) => (keys.get(id) ?? []).slice(before));
  if (partly !== undefined) {
    const { id, gone: before } = partly.segment;
    went.push(...(keys.get(id) ?? []).slice(before, before + partly.count));
    yield* ask(`UPDATE segment SET gone = gone + ${partly.count} WHERE id = ${id}`);
  }
  yield* rememberPruned(db, went, reason);
  yield* db.settle(bucket, reason, gone);
}

function* oldestOf(
  { process, writtenAt }: PrunedDatabase,
  bucket: RecordBucket,
  limit: number,
): SqlProgram<readonly OldSegment[]> {
  const rows = yield* ask(
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
  const rows = yield* ask(`SELECT id, keys FROM ${data} WHERE id IN (${ids})`);
  return new Map(rows.map((row) => [Number(row['id']), readKeys(row)]));
}

/** None of a segment whose keys are damaged: it goes all the same. */
function readKeys(row: SqlRow): readonly number[] {
  try {
    return unpackKeys(columnBytes(row, 'keys'));
  } catch {
    return [];
  }
}
