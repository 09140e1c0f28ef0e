import { logLevels } from '#log';
import {
  type CountedColumn,
  countedColumns,
  reportCounts,
  reportErrors,
  reportLogs,
  reportRoutes,
} from '#profiler';
import {
  listOutput,
  type McpOptions,
  type RecordTool,
  refuseTool,
  type ToolInput,
  type ToolText,
} from './record-tool.js';
import { clip, language, readWhere } from './request-tools.js';

const maxRows = 50;
const maxMessageLength = 300;
const incomplete = 'A limit was reached: there may be more, and counts are lower bounds.';

/** Tools that answer questions about many requests. */
export const reportTools: readonly RecordTool[] = [
  {
    name: 'slow_routes',
    title: 'Slowest routes',
    description: 'Routes by the 95th percentile of their durations, slowest first, with counts and failures.',
    parameters: { query: language },
    output: listOutput('routes', {
      route: 'text or null',
      count: 'number',
      failed: 'number',
      p50: 'number',
      p95: 'number',
      slowest: 'number',
      lastToken: 'string',
    }),
    run: slowRoutes,
  },
  {
    name: 'error_groups',
    title: 'Groups of errors',
    description:
      'Errors by class and place, the most frequent first: count, first and last time, newest message and token. New since a time: query "after:2026-01-31T11:00".',
    parameters: { query: language },
    output: listOutput('errors', {
      error: 'text or null',
      place: 'text or null',
      message: 'text or null',
      count: 'number',
      firstAt: 'number',
      lastAt: 'number',
      lastToken: 'string',
    }),
    run: errorGroups,
  },
  {
    name: 'count_requests',
    title: 'Count requests',
    description: 'How many requests match a query, all together or by a column.',
    parameters: { query: language, by: `One of ${Object.keys(countedColumns).join(', ')}.` },
    output: listOutput('counts', { value: 'text or null', count: 'number', failed: 'number' }),
    run: countRequests,
  },
  {
    name: 'find_logs',
    title: 'Find log lines',
    description: 'Log lines across requests, those of the newest request first, with their tokens.',
    parameters: {
      query: language,
      text: 'Part of the message or the channel, ignoring case.',
      level: `Lowest level: ${logLevels.join(', ')}.`,
    },
    output: listOutput('lines', {
      token: 'string',
      time: 'number',
      level: 'string',
      channel: 'string',
      message: 'string',
    }),
    run: findLogs,
  },
];

async function slowRoutes({ query = '' }: ToolInput, { records }: McpOptions): Promise<ToolText> {
  const where = readWhere(query, records);
  if (typeof where === 'string') return refuseTool(where);
  const { rows, complete } = await reportRoutes(records, where);
  const routes = rows.slice(0, maxRows);
  return answer(
    { routes, complete },
    routes.map(
      ({ route, p50, p95, slowest, count, failed, lastToken }) =>
        `${route ?? '(no route)'}: p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms, slowest ${slowest.toFixed(1)} ms, ${count} requests, ${failed} failed, last ${lastToken}`,
    ),
  );
}

async function errorGroups({ query = '' }: ToolInput, { records }: McpOptions): Promise<ToolText> {
  const where = readWhere(query, records);
  if (typeof where === 'string') return refuseTool(where);
  const { rows, complete } = await reportErrors(records, where);
  const errors = rows.slice(0, maxRows).map(({ steps: _steps, ...row }) => ({
    ...row,
    message: row.message && clip(row.message, maxMessageLength),
  }));
  return answer(
    { errors, complete },
    errors.map(
      ({ error, place, message, count, firstAt, lastAt, lastToken }) =>
        `${count} × ${error ?? 'unknown'} at ${place ?? 'unknown'}: ${message ?? ''} (first ${isoTime(firstAt)}, last ${isoTime(lastAt)}, ${lastToken})`,
    ),
  );
}

async function countRequests({ query = '', by }: ToolInput, { records }: McpOptions): Promise<ToolText> {
  const where = readWhere(query, records);
  if (typeof where === 'string') return refuseTool(where);
  if (by !== undefined && !Object.hasOwn(countedColumns, by))
    return refuseTool(`"by" is one of ${Object.keys(countedColumns).join(', ')}.`);
  const column = by as CountedColumn | undefined; // checked above
  const { rows, total, complete } = await reportCounts(records, where, column);
  const counts = rows.slice(0, maxRows);
  return answer({ counts, total, complete }, [
    `${total} requests`,
    ...(column === undefined
      ? []
      : counts.map(({ value, count, failed }) => `${value ?? '(none)'}: ${count}, ${failed} failed`)),
  ]);
}

async function findLogs({ query = '', text, level }: ToolInput, { records }: McpOptions): Promise<ToolText> {
  const where = readWhere(query, records);
  if (typeof where === 'string') return refuseTool(where);
  if (level !== undefined && !logLevels.some((name) => name === level))
    return refuseTool(`"level" is one of ${logLevels.join(', ')}.`);
  const { rows, complete } = await reportLogs(records, { where, text, level, limit: maxRows });
  const lines = rows.map((line) => ({ ...line, message: clip(line.message, maxMessageLength) }));
  return answer(
    { lines, complete },
    lines.map(
      ({ token, time, level: of, channel, message }) =>
        `${token} ${isoTime(time)} ${of} ${channel}: ${message}`,
    ),
  );
}

function answer(
  data: Readonly<Record<string, unknown>> & { readonly complete: boolean },
  lines: readonly string[],
): ToolText {
  const all = data.complete ? lines : [...lines, incomplete];
  return {
    data,
    text: all.length === 0 ? 'There is none.' : all.map((line) => line.replace(/\s+/g, ' ')).join('\n'),
  };
}

function isoTime(at: number): string {
  return new Date(Math.abs(at) <= 8.64e15 ? at : 0).toISOString();
}
