import { findColumn, toMicroseconds } from '../record/columns.js';
import {
  maxGroups,
  type ProfileTotals,
  type TotalsGroup,
  type TotalsQuery,
} from '../model/profile-totals.js';
import { SqlConditions } from './conditions.js';
import { type RunSql, type SqlDialect, type SqlRow, SqlValues } from './sql-database.js';

/** Status 500 or above, or an error after a response below 300. */
const failed = 'CASE WHEN status >= 500 OR (status < 300 AND error_class IS NOT NULL) THEN 1 ELSE 0 END';

const counts = ['count(*) AS count', `sum(${failed}) AS failed`];

interface Group extends TotalsGroup {
  count: number;
  failed: number;
  firstAt: number;
  lastAt: number;
  lastPosition: number;
  readonly durations: [longestMs: number, count: number][];
  readonly steps: [count: number, failed: number][];
}

/** Counts records by groups, duration classes and steps of time. */
export async function countTotals(
  run: RunSql,
  dialect: SqlDialect,
  query: TotalsQuery,
): Promise<ProfileTotals> {
  const source = new Source(run, dialect, query);
  const groups = new Map<string, Group>();
  const { isCountOnly = false } = query;
  const keys = [...source.columns, ...(isCountOnly ? [] : ['duration_class'])];
  const times = [
    'max(duration_ms) AS longest',
    `${dialect.toMilliseconds('min(started_at)')} AS first`,
    `${dialect.toMilliseconds('max(started_at)')} AS last`,
    'max(position) AS position',
  ];
  const cells = await source.select(
    [...keys, ...counts, ...(isCountOnly ? [] : times)],
    isCountOnly ? groupBy(keys) : `${groupBy(keys)} ORDER BY longest`,
  );
  for (const row of cells)
    if (Number(row['count']) > 0) addCell(groupOf(groups, source.valuesOf(row), query), row);
  await addSteps(source, dialect, { steps: query.steps, groups });
  const largest = [...groups.values()].sort((a, b) => b.count - a.count).slice(0, maxGroups);
  const tokens = await readTokens(run, dialect, isCountOnly ? [] : largest);
  return {
    complete: groups.size <= maxGroups,
    groups: largest.map(({ lastPosition, ...group }) => ({
      ...group,
      lastToken: tokens.get(lastPosition) ?? '',
    })),
  };
}

function groupBy(columns: readonly string[]): string {
  return columns.length === 0 ? '' : `GROUP BY ${columns.join(', ')}`;
}

/** The records that a query counts, and the columns by which it groups them. */
class Source {
  readonly columns: readonly string[];
  readonly #run: RunSql;
  readonly #dialect: SqlDialect;
  readonly #query: TotalsQuery;

  constructor(run: RunSql, dialect: SqlDialect, query: TotalsQuery) {
    this.#run = run;
    this.#dialect = dialect;
    this.#query = query;
    this.columns = (query.groupBy ?? []).map((field) => findColumn(field)?.name ?? 'CAST(NULL AS TEXT)');
  }

  select(
    what: readonly string[],
    rest: string,
    more: (values: SqlValues) => string[] = () => [],
  ): Promise<readonly SqlRow[]> {
    const { bucket = 'app', where } = this.#query;
    const values = new SqlValues();
    const met = [`bucket = ${values.add(bucket)}`, ...new SqlConditions(this.#dialect, values).all(where)];
    const from = `FROM ${this.#dialect.table('record')} WHERE ${[...met, ...more(values)].join(' AND ')}`;
    return this.#run(`SELECT ${what.join(', ')} ${from} ${rest}`, values.all);
  }

  valuesOf(row: SqlRow): TotalsGroup['values'] {
    return this.columns.map((name) => {
      const value = row[name];
      return typeof value === 'string' || typeof value === 'number' ? value : null;
    });
  }
}

function groupOf(groups: Map<string, Group>, values: TotalsGroup['values'], { steps }: TotalsQuery): Group {
  const name = JSON.stringify(values);
  const known = groups.get(name);
  if (known !== undefined) return known;
  const group: Group = {
    values,
    count: 0,
    failed: 0,
    firstAt: Number.POSITIVE_INFINITY,
    lastAt: Number.NEGATIVE_INFINITY,
    lastPosition: -1,
    durations: [],
    steps: Array.from({ length: steps?.count ?? 0 }, () => [0, 0]),
  };
  groups.set(name, group);
  return group;
}

function addCell(group: Group, row: SqlRow): void {
  const count = Number(row['count']);
  group.count += count;
  group.failed += Number(row['failed']);
  if (row['position'] === undefined) return;
  group.firstAt = Math.min(group.firstAt, toMicroseconds(Number(row['first'])));
  group.lastAt = Math.max(group.lastAt, toMicroseconds(Number(row['last'])));
  group.lastPosition = Math.max(group.lastPosition, Number(row['position']));
  group.durations.push([Number(row['longest']), count]);
}

/** Counts groups by steps, apart from the rest: a step may have as many cells as there are classes of durations. */
async function addSteps(
  source: Source,
  dialect: SqlDialect,
  { steps, groups }: { readonly steps: TotalsQuery['steps']; readonly groups: ReadonlyMap<string, Group> },
): Promise<void> {
  if (steps === undefined) return;
  const { from, stepMs, count } = steps;
  // The numbers become part of the statement because an expression with placeholders cannot be repeated in GROUP BY.
  const passed = `(${dialect.toMilliseconds('started_at')} - ${Number(from)})`;
  const step = `${dialect.floor(`${passed} / ${Number(stepMs)}`)} AS step`;
  const keys = groupBy([...source.columns, 'step']);
  const rows = await source.select([...source.columns, step, ...counts], keys, (values) => [
    `started_at >= ${dialect.toTime(values.add(from))}`,
    `closed_at >= ${dialect.toTime(values.add(from))}`,
    `started_at < ${dialect.toTime(values.add(from + stepMs * count))}`,
  ]);
  for (const row of rows) {
    const place = groups.get(JSON.stringify(source.valuesOf(row)))?.steps[Number(row['step'])];
    if (place === undefined) continue;
    place[0] += Number(row['count']);
    place[1] += Number(row['failed']);
  }
}

/** Returns the tokens of the records that were written last, by their positions. */
async function readTokens(
  run: RunSql,
  dialect: SqlDialect,
  groups: readonly Group[],
): Promise<ReadonlyMap<number, string>> {
  if (groups.length === 0) return new Map();
  const rows = await run(
    `SELECT position, token FROM ${dialect.table('record')} WHERE position IN (${groups.map((_, at) => `$${at + 1}`).join(', ')})`,
    groups.map(({ lastPosition }) => lastPosition),
  );
  return new Map(rows.map(({ position, token }) => [Number(position), String(token)]));
}
