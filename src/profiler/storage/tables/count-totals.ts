import { findColumn } from '../../model/profile-summary.js';
import {
  maxGroups,
  type ProfileTotals,
  type TotalsGroup,
  type TotalsQuery,
} from '../../model/profile-query.js';
import { SqlConditions } from './conditions.js';
import type { SqlRow, Tables } from './sql-database.js';

const counts = [
  'count(*) AS count',
  // Status 500 or above, or an error after a response below 300.
  'sum(CASE WHEN status >= 500 OR (status < 300 AND error_class IS NOT NULL) THEN 1 ELSE 0 END) AS failed',
];

/** The records to count, and the columns to group them by. */
interface Counting {
  readonly tables: Tables;
  readonly query: TotalsQuery;
  readonly columns: readonly string[];
}

/** Counts records by group, duration class and time step. */
export async function countTotals(tables: Tables, query: TotalsQuery): Promise<ProfileTotals> {
  const columns = (query.groupBy ?? []).map((field) => findColumn(field)?.name ?? 'CAST(NULL AS TEXT)');
  const counting = { tables, query, columns };
  const cells = byGroup(counting, await countCells(counting));
  const steps = byGroup(counting, await countSteps(counting));
  const groups = [...cells].map(([name, rows]) => groupOf(query, name, rows, steps.get(name)));
  const largest = groups.sort((a, b) => b.count - a.count).slice(0, maxGroups);
  const tokens = await readTokens(tables, query.isCountOnly === true ? [] : largest);
  return {
    complete: groups.length <= maxGroups,
    groups: largest.map(({ lastPosition, ...group }) => ({
      ...group,
      lastToken: tokens.get(lastPosition) ?? '',
    })),
  };
}

/** Counts records per cell: a group and a duration class. */
function countCells(counting: Counting): Promise<readonly SqlRow[]> {
  if (counting.query.isCountOnly === true) return select(counting, counting.columns, counts);
  const times = ['max(duration_ms) AS longest', 'min(started_at) AS first', 'max(started_at) AS last'];
  const keys = [...counting.columns, 'duration_class'];
  return select(counting, keys, [...counts, ...times, 'max(position) AS position']);
}

/** Counts groups by time step, in a separate query: otherwise each step would have a cell per duration class. */
async function countSteps(counting: Counting): Promise<readonly SqlRow[]> {
  if (counting.query.steps === undefined) return [];
  const { from, stepMs, count } = counting.query.steps;
  // The numbers are inlined because an expression with placeholders cannot be repeated in GROUP BY.
  const step = counting.tables.floor(`(started_at - ${Number(from)}) / ${Number(stepMs)}`);
  return select(counting, [...counting.columns, 'step'], [`${step} AS step`, ...counts], (statement) => [
    `started_at >= ${statement.add(from)}`,
    `closed_at >= ${statement.add(from)}`,
    `started_at < ${statement.add(from + stepMs * count)}`,
  ]);
}

function select(
  { tables, query, columns }: Counting,
  keys: readonly string[],
  what: readonly string[],
  met: (statement: SqlConditions) => string[] = () => [],
): Promise<readonly SqlRow[]> {
  const statement = new SqlConditions(tables);
  const { origin = 'app', where } = query;
  const all = [`origin = ${statement.add(origin)}`, ...statement.all(where), ...met(statement)];
  const group = keys.length === 0 ? '' : `GROUP BY ${keys.join(', ')}`;
  return tables.run(
    `SELECT ${[...columns, ...what].join(', ')} FROM @record WHERE ${all.join(' AND ')} ${group}`,
    statement.values,
  );
}

function byGroup({ columns }: Counting, rows: readonly SqlRow[]): ReadonlyMap<string, readonly SqlRow[]> {
  const groups = new Map<string, SqlRow[]>();
  for (const row of rows) {
    if (Number(row['count']) === 0) continue; // an ungrouped query always returns a row
    const name = JSON.stringify(columns.map((column) => row[column] ?? null));
    const group = groups.get(name) ?? [];
    groups.set(name, group);
    group.push(row);
  }
  return groups;
}

function groupOf(
  query: TotalsQuery,
  name: string,
  cells: readonly SqlRow[],
  inSteps: readonly SqlRow[] = [],
): TotalsGroup & { readonly lastPosition: number } {
  const numbers = (column: string): number[] => cells.map((cell) => Number(cell[column] ?? 0));
  const sum = (column: string): number => numbers(column).reduce((all, one) => all + one, 0);
  const steps = Array.from({ length: query.steps?.count ?? 0 }, (): [number, number] => [0, 0]);
  for (const { step, count, failed } of inSteps)
    if (Number(step) < steps.length) steps[Number(step)] = [Number(count), Number(failed)];
  const durations = cells.map(({ longest, count }) => [Number(longest), Number(count)] as const);
  return {
    values: JSON.parse(name) as TotalsGroup['values'], // see byGroup
    count: sum('count'),
    failed: sum('failed'),
    firstAt: Math.min(...numbers('first')),
    lastAt: Math.max(...numbers('last')),
    lastPosition: Math.max(...numbers('position')),
    durations: query.isCountOnly === true ? [] : durations.sort(([a], [b]) => a - b),
    steps,
  };
}

/** Returns the token of each group's most recently written record, by position. */
async function readTokens(
  { run }: Tables,
  groups: readonly { readonly lastPosition: number }[],
): Promise<ReadonlyMap<number, string>> {
  if (groups.length === 0) return new Map();
  const rows = await run(
    `SELECT position, token FROM @record WHERE position IN (${groups.map((_, at) => `$${at + 1}`).join(', ')})`,
    groups.map(({ lastPosition }) => lastPosition),
  );
  return new Map(rows.map(({ position, token }) => [Number(position), String(token)]));
}
