import type { PruneReason } from '../../model/record-lookup.js';
import { TakenKeys } from '../tokens/taken-keys.js';
import { type KeyRange, toRanges } from '../tokens/to-ranges.js';
import { ask, type SqlProgram } from './sql-program.js';
import type { SqlRow } from './sql-reader.js';

/** Ranges of pruned keys that are remembered: neighbours grow together, so this many come only of years of holes. */
const maxRanges = 20_000;
/** Ranges that one statement asks for. */
const rangesAtOnce = 100;

/** Tables of ranges, of which no two overlap: `end` is what they call the first key behind one. */
export interface RangeTables {
  readonly end: string;
}

/** The ranges of a table that overlap any of these or touch it. */
export function* rangesNear(
  { end }: RangeTables,
  table: 'key_range' | 'pruned',
  ranges: readonly KeyRange[],
): SqlProgram<readonly (KeyRange & { readonly row: SqlRow })[]> {
  const found = new Map<number, KeyRange & { readonly row: SqlRow }>();
  for (let at = 0; at < ranges.length; at += rangesAtOnce) {
    const some = ranges.slice(at, at + rangesAtOnce);
    const queries = some.map((_, place) => {
      const [from, to] = [`$${2 * place + 1}`, `$${2 * place + 2}`];
      return `SELECT * FROM (SELECT * FROM ${table} WHERE start < ${from} ORDER BY start DESC LIMIT 1) AS below
        UNION ALL SELECT * FROM ${table} WHERE start >= ${from} AND start <= ${to}`;
    });
    const bounds = some.flatMap(({ start, end: stop }) => [start, stop]);
    for (const row of yield* ask(queries.join(' UNION ALL '), bounds)) {
      const range = { start: Number(row['start']), end: Number(row[end.replaceAll('"', '')]), row };
      if (ranges.some((near) => near.start <= range.end && near.end >= range.start))
        found.set(range.start, range);
    }
  }
  return [...found.values()];
}

/** Segments' keys, with fresh ones in the place of those that a record has already. */
export function* freeKeys(
  tables: RangeTables,
  wanted: readonly (readonly number[])[],
): SqlProgram<{ readonly keys: readonly (readonly number[])[]; readonly renamed: number }> {
  const near = yield* rangesNear(tables, 'key_range', toRanges(wanted.flat()));
  const taken = new TakenKeys((key) => near.some(({ start, end }) => key >= start && key < end));
  return { keys: wanted.map((keys) => taken.replace(keys)), renamed: taken.renamed };
}

/** Notes in which segments the records of these keys are. */
export function* addKeys(
  segments: readonly { readonly id: number; readonly keys: readonly number[] }[],
): SqlProgram<void> {
  const ranges = segments.flatMap(({ id, keys }) => toRanges(keys).map(({ start, end }) => [start, end, id]));
  const places = ranges.map((_, at) => `($${3 * at + 1}, $${3 * at + 2}, $${3 * at + 3})`);
  if (ranges.length > 0) yield* ask(`INSERT INTO key_range VALUES ${places.join(', ')}`, ranges.flat());
}

/** All keys of these segments. */
export function* removeKeys(segments: readonly number[], keys: readonly number[]): SqlProgram<void> {
  const starts = toRanges(keys).map(({ start }) => start);
  if (starts.length > 0)
    yield* ask(
      `DELETE FROM key_range WHERE start IN (${starts.join(', ')}) AND segment IN (${segments.join(', ')})`,
    );
}

/**
 * Remembers why the records of these keys went. A key in the middle of them that is in no range had no record: it was
 * lost with its process. Random keys are in no order: they are not remembered.
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
    yield* ask(`DELETE FROM pruned WHERE start IN (${alike.map(({ start }) => start).join(', ')})`);
  const values = joinRanges([...fresh, ...alike]).map(({ start, end }) => `(${start}, ${end}, '${reason}')`);
  yield* ask(`INSERT INTO pruned VALUES ${values.join(', ')} ON CONFLICT DO NOTHING`);
}

/** Forgets the oldest ranges of pruned keys where there are too many. */
export function* trimPruned(): SqlProgram<void> {
  yield* ask(
    `DELETE FROM pruned WHERE start <= (SELECT start FROM pruned ORDER BY start DESC LIMIT 1 OFFSET ${maxRanges})`,
  );
}

/** Ranges that touch or overlap become one. */
function joinRanges(ranges: readonly KeyRange[]): readonly KeyRange[] {
  const joined: KeyRange[] = [];
  for (const range of [...ranges].sort((a, b) => a.start - b.start)) {
    const last = joined.at(-1);
    if (last === undefined || range.start > last.end) joined.push(range);
    else joined[joined.length - 1] = { start: last.start, end: Math.max(last.end, range.end) };
  }
  return joined;
}
