import type { MatchTrace } from '#core/routing';
import { formatMilliseconds } from '../../model/formatting.js';
import type { ProfileCondition } from '../../model/profile-query.js';
import { type RouteReport, reportRoutes } from '../reports/record-reports.js';
import {
  type Answer,
  type AnswerRow,
  asParameter,
  orNull,
  readQuery,
  refuse,
  searchParameter,
  textIn,
  type Tool,
  type ToolContext,
} from './tool.js';

/** Maximum number of records read for their routes, if no miss names all of them. */
const maxRead = 20;

export const routesTool: Tool = {
  name: 'routes',
  description:
    'Routes with the figures of their requests, slowest (p95) first. With a path: which route takes it, and why others do not.',
  parameters: {
    path: { type: 'string', maxLength: 500, description: 'Path of a request' },
    method: { type: 'string', maxLength: 20, description: 'With a path; default GET' },
    query: searchParameter,
    as: asParameter,
  },
  row: {
    route: orNull,
    path: orNull,
    count: { type: 'integer' },
    failed: { type: 'integer' },
    p50: orNull,
    p95: orNull,
    lastToken: orNull,
  },
  async run(input, context) {
    const path = textIn(input, 'path');
    const method = textIn(input, 'method')?.toUpperCase();
    if (path !== undefined) return explainPath(path, method, context);
    const read = readQuery(textIn(input, 'query') ?? '', context.records, context.now());
    if (typeof read === 'string') return refuse(read);
    const [{ rows }, table] = await Promise.all([
      reportRoutes(context.records, read.where),
      readTable(context),
    ]);
    const met = rows.map(({ route }) => route ?? '');
    const unmet = [...table.paths].filter(([name, path]) => !met.some((one) => isOf(one, name, path)));
    return {
      head: [
        `${rows.length + unmet.length} routes: p95, median, requests, failed, newest`,
        `Routes ${table.from}.`,
      ].join('\n'),
      rows: [
        ...rows.map((row) => metRow(row, table.paths.get(row.route ?? '') ?? null)),
        ...unmet.map(([route, declared]) => ({
          line: `${withPath(route, declared)} no request`,
          data: { route, path: declared, count: 0, failed: 0, p50: null, p95: null, lastToken: null },
        })),
      ],
    };
  },
};

/** Returns whether a recorded route is the declared one; attached servers declare routes for all methods as `ALL`. */
function isOf(recorded: string, name: string, path: string): boolean {
  return recorded === name || (name === `ALL ${path}` && recorded.endsWith(` ${path}`));
}

function metRow({ route, count, failed, p50, p95, lastToken }: RouteReport, path: string | null): AnswerRow {
  const name = route === null ? '(none matched)' : withPath(route, path);
  return {
    line: `${name} ${formatMilliseconds(p95)} ${formatMilliseconds(p50)} ${count} ${failed} ${lastToken}`,
    data: { route, path, count, failed, p50, p95, lastToken },
  };
}

/** Formats a route for a list; most names are derived from the path. */
function withPath(name: string, path: string | null): string {
  return path === null || name.includes(path) ? name : `${name} ${path}`;
}

interface RouteTable {
  /** Paths by route name. */
  readonly paths: ReadonlyMap<string, string>;
  /** Where the routes come from, and whether they are complete. */
  readonly from: string;
}

/** Returns the application's routes, or those that it declared with its records, or else those found in records: a miss has tried every route. */
async function readTable({ routes, records }: ToolContext): Promise<RouteTable> {
  if (routes !== undefined) {
    const own = routes.all().filter(({ name }) => !isOwn(name));
    return { paths: new Map(own.map(({ name, path }) => [name, path])), from: 'of the application' };
  }
  const declared = await records.routes();
  if (declared !== undefined && declared.routes.length > 0) {
    const { instance, declaredAt, isComplete } = declared;
    const rest = isComplete ? '' : '; others may exist';
    return {
      paths: new Map(declared.routes.map(({ name, path }) => [name, path])),
      from: `as ${instance} declared them at ${new Date(declaredAt).toISOString().slice(0, 19)}${rest}`,
    };
  }
  const miss = await findTrace(records);
  if (miss !== undefined && miss.trace.omitted === 0)
    return {
      paths: pathsOf([miss.trace]),
      from: `as of record ${miss.token}, which matched none of them`,
    };
  const { rows } = await records.list({ limit: maxRead });
  const traces: MatchTrace[] = [];
  for (const { token } of rows) {
    const found = await records.find(token);
    if (found.kind === 'found' && found.record.route?.trace) traces.push(found.record.route.trace);
  }
  return { paths: pathsOf(traces), from: 'that requests have used; others may exist' };
}

/** Selects requests without a matching route. */
const missed: readonly ProfileCondition[] = [
  { columns: ['route'], test: { kind: 'missing' } },
  { columns: ['status'], test: { kind: 'numbers', ranges: [[404, 404]] } },
];

/** Finds the newest miss whose record contains its trace. */
async function findTrace(
  records: ToolContext['records'],
): Promise<{ readonly token: string; readonly trace: MatchTrace } | undefined> {
  const { rows } = await records.list({ where: missed, limit: 5 });
  for (const { token } of rows) {
    const found = await records.find(token);
    const trace = found.kind === 'found' ? found.record.route?.trace : undefined;
    if (trace) return { token, trace };
  }
  return undefined;
}

function pathsOf(traces: readonly MatchTrace[]): ReadonlyMap<string, string> {
  const rows = traces.flatMap((trace) => trace.rows).filter(({ name }) => !isOwn(name));
  return new Map(rows.map(({ name, path }) => [name, path]));
}

function isOwn(name: string): boolean {
  return name.startsWith('_profiler');
}

/**
 * Explains which route handles a path, and why others do not, based on the application's routes or on the newest such
 * request.
 */
async function explainPath(path: string, method: string | undefined, context: ToolContext): Promise<Answer> {
  const { records, routes } = context;
  if (routes !== undefined) {
    const trace = routes.explain(method ?? 'GET', path.replace(/[?#].*$/s, ''));
    const taken = trace.rows.find(({ level }) => level === 'match');
    const outcome = taken === undefined ? trace.outcome : withPath(taken.name, taken.path);
    return traceAnswer(`${trace.method} ${path}: ${outcome}`, trace);
  }
  const where: readonly ProfileCondition[] = [
    { columns: ['path'], test: { kind: 'is', texts: [path] } },
    ...(method === undefined
      ? []
      : [{ columns: ['method'], test: { kind: 'is', texts: [method] } } satisfies ProfileCondition]),
  ];
  const [row] = (await records.list({ where, limit: 1 })).rows;
  const found = row === undefined ? undefined : await records.find(row.token);
  if (row === undefined || found?.kind !== 'found')
    return refuse(
      `No recorded request has the path ${path}. Send one, or run "npx lookback routes match ${path}".`,
    );
  const { route } = found.record;
  const outcome =
    route === null
      ? 'no router is recorded'
      : route.name === null
        ? 'no route matched'
        : withPath(route.name, route.path ?? null);
  const allow = route?.allow.length ? [`methods of this path: ${route.allow.join(', ')}`] : [];
  return traceAnswer(
    [`${row.method} ${path}: ${outcome} (${row.token})`, ...allow].join('\n'),
    route?.trace ?? undefined,
  );
}

function traceAnswer(head: string, trace: Pick<MatchTrace, 'rows' | 'nearMisses'> | undefined): Answer {
  return {
    head: [head, ...(trace?.nearMisses ?? []).map((near) => `near: ${near.name} ${near.path}`)].join('\n'),
    rows: (trace?.rows ?? []).map((one) => ({
      line: Object.values(one)
        .filter((value) => typeof value === 'string')
        .join(' '),
      data: { ...one },
    })),
  };
}
