import type { QueryExplainer } from '#profiler';
import { reportAsOne } from '#core/scope';
import { clientsOf } from '../queries/query-clients.js';
import { instrumentationErrors } from '../source/targets.js';
import { fieldOf } from '../source/fields.js';
import { type DatabaseSession, openSession } from './database-session.js';

/** Timeouts for one statement in the database, and for the whole explanation, in milliseconds. */
const limits = { statement: 2000, whole: 4000 };
const maxText = 16_000;

type ExplainedQuery = Parameters<QueryExplainer['explain']>[0];
type QueryPlan = Awaited<ReturnType<QueryExplainer['explain']>>;

/**
 * Explains queries with the clients passed to `recordQueries`, watched pg pools, and the application's persistence
 * clients. The database plans the statement without running it; but planning evaluates functions declared immutable
 * (PostgreSQL), and derived tables and subqueries (MySQL, MariaDB). It therefore happens in a read-only transaction
 * that is rolled back, with a server-side time limit. If several clients have the same name, the newest one whose
 * database has the tables is used.
 */
export const queryExplainer: QueryExplainer = {
  knows: (connection) => clientsOf(connection).length > 0,
  async explain(query) {
    const clients = clientsOf(query.connection);
    let failure: unknown = instrumentationErrors.create('INSTRUMENTATION_NO_CLIENT', {
      connection: query.connection,
    });
    for (const client of clients) {
      try {
        return await reportAsOne(() => explainBy(client, query));
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  },
};

async function explainBy(client: object, query: ExplainedQuery): Promise<QueryPlan> {
  const session = await inTime(openSession(client), limits.whole);
  if (session === undefined)
    throw instrumentationErrors.create('INSTRUMENTATION_NO_PLANS', { connection: query.connection });
  let isLate = false;
  try {
    const plan = await inTime(planners[session.system](session, query), limits.whole);
    return { ...plan, text: cutText(plan.text) };
  } catch (error) {
    isLate = fieldOf(error, 'code') === 'INSTRUMENTATION_PLAN_LATE';
    throw error;
  } finally {
    await session.release({ isLate });
  }
}

async function inTime<Result>(work: Promise<Result>, milliseconds: number): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(instrumentationErrors.create('INSTRUMENTATION_PLAN_LATE', { milliseconds })),
      milliseconds,
    );
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

const planners: Readonly<
  Record<DatabaseSession['system'], (session: DatabaseSession, query: ExplainedQuery) => Promise<QueryPlan>>
> = {
  postgresql: (session, query) =>
    reading(session, ['begin read only', `set local statement_timeout = ${limits.statement}`], async () => {
      if (query.values !== undefined || !query.hasPlaceholders) {
        const rows = await session.query(`explain ${query.numbered}`, [...(query.values ?? [])]);
        return { text: firstCells(rows), placeholders: 'values' };
      }
      const [version] = await session.query('show server_version_num');
      const isGeneric = Number(fieldOf(version, 'server_version_num')) >= 160_000;
      const text = isGeneric ? `explain (generic_plan) ${query.numbered}` : `explain ${query.bare}`;
      return { text: firstCells(await session.query(text)), placeholders: isGeneric ? 'any' : 'null' };
    }),
  mysql: (session, query) =>
    reading(session, ['start transaction read only'], async () => {
      const isKnown = query.values !== undefined || !query.hasPlaceholders;
      const explain = `explain ${isKnown ? query.sql : query.bare}`;
      const [version] = await session.query('select version() as version');
      const isMariaDb = /mariadb/i.test(textOf(fieldOf(version, 'version')));
      const rows = isMariaDb
        ? await session.query(
            `set statement max_statement_time = ${limits.statement / 1000} for ${explain}`,
            query.values,
          )
        : await inMysqlTime(session, () => session.query(explain, query.values));
      return { text: asTable(rows), placeholders: isKnown ? 'values' : 'null' };
    }),
  async sqlite(session, query) {
    const isKnown = query.values !== undefined || !query.hasPlaceholders;
    const values = query.values?.map((value) => (typeof value === 'boolean' ? Number(value) : value));
    const rows = await session.query(`explain query plan ${isKnown ? query.sql : query.bare}`, values);
    return { text: asTree(rows), placeholders: isKnown ? 'values' : 'null' };
  },
};

/** Limits how long statements may run on a MySQL connection, and restores its own limit afterwards. */
async function inMysqlTime<Result>(session: DatabaseSession, work: () => Promise<Result>): Promise<Result> {
  await session.query('set @lookback_time = @@session.max_execution_time');
  await session.query(`set session max_execution_time = ${limits.statement}`);
  try {
    return await work();
  } finally {
    await session.query('set session max_execution_time = @lookback_time');
  }
}

/** Runs work in a transaction that is rolled back, if the connection is held exclusively. */
async function reading(
  session: DatabaseSession,
  begin: readonly string[],
  work: () => Promise<QueryPlan>,
): Promise<QueryPlan> {
  if (!session.isOwn) return work();
  for (const statement of begin) await session.query(statement);
  try {
    return await work();
  } finally {
    await session.query('rollback');
  }
}

function firstCells(rows: readonly unknown[]): string {
  return rows.map((row) => cellsOf(row).at(0)?.[1] ?? '').join('\n');
}

/** Formats SQLite's plan as an indented tree; each row names its parent. */
function asTree(rows: readonly unknown[]): string {
  const depths = new Map<unknown, number>();
  return rows
    .map((row) => {
      const depth = (depths.get(fieldOf(row, 'parent')) ?? -1) + 1;
      depths.set(fieldOf(row, 'id'), depth);
      return `${'  '.repeat(Math.min(depth, 20))}${textOf(fieldOf(row, 'detail'))}`;
    })
    .join('\n');
}

function asTable(rows: readonly unknown[]): string {
  const lines = [
    cellsOf(rows[0]).map(([name]) => name),
    ...rows.map((row) => cellsOf(row).map(([, cell]) => cell)),
  ];
  const widths = (lines[0] ?? []).map((_name, at) =>
    Math.max(...lines.map((cells) => cells[at]?.length ?? 0)),
  );
  return lines
    .map((cells) =>
      cells
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function cellsOf(row: unknown): readonly (readonly [name: string, text: string])[] {
  if (typeof row !== 'object' || row === null) return [];
  return Object.keys(row).map((name) => [name, textOf(fieldOf(row, name))]);
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'bigint' ? value.toString() : '–';
}

function cutText(text: string): string {
  return text.length <= maxText
    ? text
    : `${text.slice(0, maxText)}\n… ${text.length - maxText} more characters`;
}
