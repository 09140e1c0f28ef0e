import type { ColumnValue } from '../../form/summary-columns.js';
import { maxGroups, type StoreTotals, type TotalsQuery } from '../../model/profile-totals.js';
import type { PostgresRow } from './postgres-connection.js';
import { sqlColumn, type SqlValues } from './sql-conditions.js';

/** The same class as `durationClass`; a hair more, for a whole power of two is not one behind a quotient of logarithms. */
const durationClass = `CASE WHEN duration_ms > 0 THEN greatest(-200, floor(8 * ln(duration_ms) / ln(2::double precision) + 1e-9)) ELSE -200 END`;
const isFailed = 'status >= 500 OR (status < 300 AND error_class IS NOT NULL)';

/**
 * The statement that counts; `from`: table and conditions. It counts each group by the class of its durations, and once
 * more by its steps.
 */
export function totalsOf(
  { groupBy = [], steps, isCountOnly = false }: TotalsQuery,
  sql: SqlValues,
  from: string,
): string {
  if (isCountOnly) return `SELECT count(*) AS count FROM ${from}`;
  const groups = groupBy.map((name, at) => `${sqlColumn(name, sql)} AS g${at}`);
  const step =
    steps === undefined
      ? 'NULL::integer'
      : `floor((started_at - ${sql.place(steps.from)}::double precision) / ${sql.place(steps.stepMs)}::double precision)`;
  const names = groupBy.map((_, at) => `g${at}, `).join('');
  const which = steps === undefined ? 'true AS is_class' : 'step, grouping(step) = 1 AS is_class';
  return `SELECT ${names}class, ${which}, count(*) AS count, count(*) FILTER (WHERE failed) AS failed,
      min(started_at) AS first_at, max(ARRAY[started_at, key::double precision]) AS latest
    FROM (SELECT ${groups.map((group) => `${group}, `).join('')}${durationClass} AS class, ${step} AS step, (${isFailed}) AS failed,
      started_at, key FROM ${from}) AS found
    GROUP BY GROUPING SETS ((${names}class)${steps === undefined ? '' : `, (${names}step)`})`;
}

/** What the statement gave, the largest groups first. */
export function readTotals(
  { groupBy = [], steps, isCountOnly }: TotalsQuery,
  rows: readonly PostgresRow[],
): StoreTotals {
  if (isCountOnly === true) {
    const count = Number(rows[0]?.['count'] ?? 0);
    const empty = { values: [], failed: 0, firstAt: 0, lastAt: 0, lastKey: -1, durations: {}, steps: [] };
    return { groups: count === 0 ? [] : [{ ...empty, count }], complete: true };
  }
  const groups = new Map<string, Counted>();
  for (const row of rows) {
    const values = groupBy.map((_, at): ColumnValue => valueOf(row[`g${at}`]));
    const name = JSON.stringify(values);
    let group = groups.get(name);
    if (group === undefined) groups.set(name, (group = emptyGroup(values, steps?.count ?? 0)));
    const [count, failed] = [Number(row['count']), Number(row['failed'])];
    if (row['is_class'] === true) addClass(group, row, { count, failed });
    else if (group.steps[Number(row['step'])] !== undefined)
      group.steps[Number(row['step'])] = [count, failed];
  }
  const all = [...groups.values()].sort((a, b) => b.count - a.count);
  return { groups: all.slice(0, maxGroups), complete: all.length <= maxGroups };
}

type Group = StoreTotals['groups'][number];
type Counted = { -readonly [Name in keyof Group]: Group[Name] } & {
  readonly durations: Record<number, number>;
  readonly steps: [count: number, failed: number][];
};

function emptyGroup(values: readonly ColumnValue[], steps: number): Counted {
  return {
    values,
    count: 0,
    failed: 0,
    firstAt: Number.POSITIVE_INFINITY,
    lastAt: Number.NEGATIVE_INFINITY,
    lastKey: -1,
    durations: {},
    steps: Array.from({ length: steps }, (): [number, number] => [0, 0]),
  };
}

function addClass(
  group: Counted,
  row: PostgresRow,
  { count, failed }: { count: number; failed: number },
): void {
  const latest: unknown = row['latest'];
  const [lastAt, lastKey] = Array.isArray(latest) ? latest.map(Number) : [];
  group.count += count;
  group.failed += failed;
  group.firstAt = Math.min(group.firstAt, Number(row['first_at']));
  if (lastAt !== undefined && lastKey !== undefined && lastAt > group.lastAt) {
    group.lastAt = lastAt;
    group.lastKey = lastKey;
  }
  group.durations[Number(row['class'])] = count;
}

function valueOf(value: unknown): ColumnValue {
  return typeof value === 'string' || typeof value === 'number' ? value : null;
}
