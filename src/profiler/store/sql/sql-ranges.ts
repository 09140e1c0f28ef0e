import type { PruneReason } from '../../model/record-lookup.js';
import { TakenKeys } from '../tokens/taken-keys.js';
import { type KeyRange, toRanges } from '../tokens/to-ranges.js';
import { query, type SqlProgram } from './sql-program.js';
import type { SqlRow } from './sql-reader.js';

/**
 * Maximum number of stored ranges of pruned keys. Adjacent ranges are merged, so only years of gaps produce this many.
 */
const maxRanges = 20_000;
/** Number of ranges to look up in one statement. */
const rangesPerStatement = 100;

/** Tables of ranges that do not overlap. `end` is the name of the column with the first key after a range. */
export interface RangeTables {
  readonly end: string;
}

/** Returns the ranges of a table that overlap or touch any of the given ranges. */
export function* rangesNear(
  { end }: RangeTables,
  table: 'key_range' | 'pruned',
  ranges: readonly KeyRange[],
): SqlProgram<readonly (KeyRange & { readonly row: SqlRow })[]> {
  const found = new Map<number, KeyRange & { readonly row: SqlRow }>();
  for (let at = 0; at < ranges.length; at += rangesPerStatement) {
    const some = ranges.slice(at, at + rangesPerStatement);
    const queries = some.map((_, place) => {
      const [from, to] = [`$${2 * place + 1}`, `$${2 * place + 2}`];
      return `SELECT * FROM (SELECT * FROM ${table} WHERE start < ${from} ORDER BY start DESC LIMIT 1) AS below
        UNION ALL SELECT * FROM ${table} WHERE start >= ${from} AND start <= ${to}`;
    });
    const bounds = some.flatMap(({ start, end: stop }) => [start, stop]);
    for (const row of yield* query(queries.join(' UNION ALL '), bounds)) {
      const range = { start: Number(row['start']), end: Number(row[end.replaceAll('"', '')]), row };
      if (ranges.some((near) => near.start <= range.end && near.end >= range.start))
        found.set(range.start, range);
    }
  }
  return [...found.values()];
}

/** Returns the keys of segments, with fresh ones for those that are already in use. */
export function* freeKeys(
  tables: RangeTables,
  wanted: readonly (readonly number[])[],
): SqlProgram<{ readonly keys: readonly (readonly number[])[]; readonly renamed: number }> {
  const near = yield* rangesNear(tables, 'key_range', toRanges(wanted.flat()));
  const taken = new TakenKeys((key) => near.some(({ start, end }) => key >= start && key < end));
  return { keys: wanted.map((keys) => taken.replace(keys)), renamed: taken.renamed };
}

/** Stores which segments contain the records of these keys. */
export function* addKeys(
  segments: readonly { readonly id: number; readonly keys: readonly number[] }[],
): SqlProgram<void> {
  const ranges = segments.flatMap(({ id, keys }) => toRanges(keys).map(({ start, end }) => [start, end, id]));
  const places = ranges.map((_, at) => `($${3 * at + 1}, $${3 * at + 2}, $${3 * at + 3})`);
  if (ranges.length > 0) yield* query(`INSERT INTO key_range VALUES ${places.join(', ')}`, ranges.flat());
}

/** Removes the ranges of all keys of these segments. */
export function* removeKeys(segments: readonly number[], keys: readonly number[]): SqlProgram<void> {
  const starts = toRanges(keys).map(({ start }) => start);
  if (starts.length > 0)
    yield* query(
      `DELETE FROM key_range WHERE start IN (${starts.join(', ')}) AND segment IN (${segments.join(', ')})`,
    );
}

/**
 * Stores why the records of these keys were pruned. A key between them that is in no range had no record: it was lost
 * with its process. Random keys have no order and are not stored.
 */
export function* rememberPruned(
  tables: RangeTables,
  keys: readonly number[],
  reason: PruneReason,
): SqlProgram<void> {
  const fresh = toRanges(keys.filter((key) => key >= 0));
  if (fresh.length === 0) return;
  const near = yield* rangesNear(tables, 'pruned', fresh);
  const alike = near.filter(({ row }) => row['reason'] === reason);
  if (alike.length > 0)
    yield* query(`DELETE FROM pruned WHERE start IN (${alike.map(({ start }) => start).join(', ')})`);
  const values = joinRanges([...fresh, ...alike]).map(({ start, end }) => `(${start}, ${end}, '${reason}')`);
  yield* query(`INSERT INTO pruned VALUES ${values.join(', ')} ON CONFLICT DO NOTHING`);
}

/** Deletes the oldest ranges of pruned keys if there are too many. */
export function* trimPruned(): SqlProgram<void> {
  yield* query(
    `DELETE FROM pruned WHERE start <= (SELECT start FROM pruned ORDER BY start DESC LIMIT 1 OFFSET ${maxRanges})`,
  );
}

/** Merges ranges that touch or overlap. */
function joinRanges(ranges: readonly KeyRange[]): readonly KeyRange[] {
  const joined: KeyRange[] = [];
  for (const range of [...ranges].sort((a, b) => a.start - b.start)) {
    const last = joined.at(-1);
    if (last === undefined || range.start > last.end) joined.push(range);
    else joined[joined.length - 1] = { start: last.start, end: Math.max(last.end, range.end) };
  }
  return joined;
}
