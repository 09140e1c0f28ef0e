import { logLevels } from '#log';
import {
  type CountedColumn,
  countedColumns,
  reportCounts,
  reportErrors,
  reportLogs,
  reportRoutes,
  type ProfileCondition,
} from '#profiler';
import { listOutput, type McpOptions, type RecordTool, refuseTool, type ToolInput } from './record-tool.js';
import { clip, language, readWhere } from './request-tools.js';

const maxRows = 50;
const maxMessageLength = 300;
const incomplete = 'A limit was reached: there may be more, and counts are lower bounds.';

/** A tool that reports on the requests that match a query, a row for each. */
interface ReportTool<Row> extends Pick<RecordTool, 'name' | 'title' | 'description'> {
  readonly parameters?: RecordTool['parameters'];
  /** Name of the list in the data. */
  readonly list: string;
  /** Returns a sentence if the input cannot be used. */
  readonly read: (
    records: McpOptions['records'],
    where: readonly ProfileCondition[],
    input: ToolInput,
  ) => Promise<
    { readonly rows: readonly Row[]; readonly complete: boolean; readonly total?: number } | string
  >;
  readonly line: (row: Row) => string;
}

function reportTool<Row>({ list, read, line, parameters, ...tool }: ReportTool<Row>): RecordTool {
  return {
    ...tool,
    parameters: { query: language, ...parameters },
    output: listOutput(list),
    async run(input, { records }) {
      const where = readWhere(input['query'] ?? '', records);
      const found = typeof where === 'string' ? where : await read(records, where, input);
      if (typeof found === 'string') return refuseTool(found);
      const { rows, ...more } = found;
      const shown = rows.slice(0, maxRows);
      const lines = [
        ...(more.total === undefined ? [] : [`${more.total} requests`]),
        ...shown.map((one) => line(one).replace(/\s+/g, ' ')),
        ...(more.complete ? [] : [incomplete]),
      ];
      return {
        data: { [list]: shown, ...more },
        text: lines.length === 0 ? 'There is none.' : lines.join('\n'),
      };
    },
  };
}

/** Tools that answer questions about many requests. */
export const reportTools: readonly RecordTool[] = [
  reportTool({
    name: 'slow_routes',
    title: 'Slowest routes',
    description: 'Routes by the 95th percentile of their durations, slowest first, with counts and failures.',
    list: 'routes',
    read: (records, where) => reportRoutes(records, where),
    line: ({ route, p50, p95, slowest, count, failed, lastToken }) =>
      `${route ?? '(no route)'}: p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms, slowest ${slowest.toFixed(1)} ms, ${count} requests, ${failed} failed, last ${lastToken}`,
  }),
  reportTool({
    name: 'error_groups',
    title: 'Groups of errors',
    description:
      'Errors by class and place, failures first, the most frequent first: count, first and last time, newest message, request and token. New since a time: query "after:2026-01-31T11:00".',
    list: 'errors',
    async read(records, where) {
      const { rows, complete } = await reportErrors(records, where);
      const clipped = rows.map((row) => ({
        ...row,
        message: row.message && clip(row.message, maxMessageLength),
      }));
      return { rows: clipped, complete };
    },
    line: ({ error, place, message, count, firstAt, lastAt, lastToken }) =>
      `${count} × ${error ?? 'unknown'} at ${place ?? 'unknown'}: ${message ?? ''} (first ${isoTime(firstAt)}, last ${isoTime(lastAt)}, ${lastToken})`,
  }),
  reportTool({
    name: 'count_requests',
    title: 'Count requests',
    description: 'How many requests match a query, all together or by a column.',
    parameters: { by: `One of ${Object.keys(countedColumns).join(', ')}.` },
    list: 'counts',
    async read(records, where, { by }) {
      if (by !== undefined && !Object.hasOwn(countedColumns, by))
        return `"by" is one of ${Object.keys(countedColumns).join(', ')}.`;
      const report = await reportCounts(records, where, by as CountedColumn | undefined); // checked above
      return by === undefined ? { ...report, rows: [] } : report;
    },
    line: ({ value, count, failed }) => `${value ?? '(none)'}: ${count}, ${failed} failed`,
  }),
  reportTool({
    name: 'find_logs',
    title: 'Find log lines',
    description: 'Log lines across requests, those of the newest request first, with their tokens.',
    parameters: {
      text: 'Part of the message or the channel, ignoring case.',
      level: `Lowest level: ${logLevels.join(', ')}.`,
    },
    list: 'lines',
    async read(records, where, { text, level }) {
      if (level !== undefined && !logLevels.some((name) => name === level))
        return `"level" is one of ${logLevels.join(', ')}.`;
      const { rows, complete } = await reportLogs(records, { where, text, level, limit: maxRows });
      return {
        rows: rows.map((row) => ({ ...row, message: clip(row.message, maxMessageLength) })),
        complete,
      };
    },
    line: ({ token, time, level, channel, message }) =>
      `${token} ${isoTime(time)} ${level} ${channel}: ${message}`,
  }),
];

function isoTime(at: number): string {
  return new Date(Math.abs(at) <= 8.64e15 ? at : 0).toISOString();
}
