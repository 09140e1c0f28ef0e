import { isLogLevel, logLevels } from '#core/log';
import type { RecordedLog } from '../../model/profile-record.js';
import {
  type ProfileCondition,
  durationQuantile,
  type ProfileTotals,
  type TotalsGroup,
  type TotalsQuery,
} from '../../model/profile-query.js';
import type { Profiler } from '../../model/profiler.js';
import { formatMilliseconds, shorten } from '../../model/formatting.js';

/** A report's data source: a profiler, or records opened by a command. */
export type ReportSource = Pick<Profiler, 'list' | 'totals' | 'find'>;

interface Report<Row> {
  readonly rows: readonly Row[];
  /** False if the search stopped at a limit: there may be more rows, and counts are lower bounds. */
  readonly complete: boolean;
  /** Number of requests, in reports that count them. */
  readonly total?: number;
}

type StepsQuery = Pick<TotalsQuery, 'steps'>;
type Counts = Pick<TotalsGroup, 'count' | 'failed'>;

/** Fields common to all group reports. */
interface GroupRow extends Counts {
  readonly lastToken: string;
  /** Count and failures in each step, if steps were requested. */
  readonly steps?: TotalsGroup['steps'];
}

function rowOf(
  { count, failed, lastToken, steps }: ProfileTotals['groups'][number],
  query: StepsQuery,
): GroupRow {
  return { count, failed, lastToken, ...(query.steps === undefined ? {} : { steps }) };
}

/** Requests on one route; null for those that matched none. Times in milliseconds. */
export interface RouteReport extends GroupRow {
  readonly route: string | null;
  readonly p50: number;
  readonly p95: number;
  readonly slowest: number;
}

/** Reports each route's requests, slowest 95th percentile first. */
export async function reportRoutes(
  source: ReportSource,
  where: readonly ProfileCondition[] = [],
  query: StepsQuery = {},
): Promise<Report<RouteReport>> {
  const { groups, complete } = await source.totals({ ...query, where, groupBy: ['route'] });
  const rows = groups.map((group) => ({
    route: textOf(group.values[0]),
    p50: durationQuantile(group, 0.5),
    p95: durationQuantile(group, 0.95),
    slowest: durationQuantile(group, 1),
    ...rowOf(group, query),
  }));
  return { rows: rows.toSorted((a, b) => b.p95 - a.p95), complete };
}

/** Errors with one class at one location, with the newest message, method and path. Times in milliseconds since the epoch. */
export interface ErrorReportRow extends GroupRow, Pick<TotalsGroup, 'firstAt' | 'lastAt'> {
  readonly error: string | null;
  readonly location: string | null;
  readonly fingerprint: string;
  readonly message: string | null;
  readonly request: string | null;
}

const thrown: ProfileCondition = { columns: ['errorClass'], test: { kind: 'missing' }, isNegated: true };
/** Maximum number of groups whose newest message is read. */
const maxMessages = 50;

/** Reports errors by kind: failures before refusals, most frequent first. */
export async function reportErrors(
  source: ReportSource,
  where: readonly ProfileCondition[] = [],
  query: StepsQuery = {},
): Promise<Report<ErrorReportRow>> {
  const groupBy = ['errorClass', 'errorLocation', 'fingerprint'];
  const { groups, complete } = await source.totals({ ...query, where: [thrown, ...where], groupBy });
  const sorted = groups.toSorted((a, b) => Number(b.failed > 0) - Number(a.failed > 0) || b.count - a.count);
  const rows = sorted.map(async (group, index) => {
    const { values, firstAt, lastAt, lastToken: token } = group;
    const isRead = index < maxMessages && token !== '';
    const [newest] = isRead ? (await source.list({ token, limit: 1 })).rows : [];
    return {
      error: textOf(values[0]),
      location: textOf(values[1]),
      fingerprint: textOf(values[2]) ?? '',
      message: newest?.exception ?? null,
      request: newest === undefined ? null : `${newest.method} ${newest.path}`,
      firstAt,
      lastAt,
      ...rowOf(group, query),
    };
  });
  return { rows: await Promise.all(rows), complete };
}

function textOf(value: string | number | null = null): string | null {
  return typeof value === 'string' ? value : null;
}

/** Columns for counting requests, by their name in a query. */
const countedColumns: Readonly<Record<string, string>> = {
  route: 'route',
  status: 'status',
  method: 'method',
  user: 'user',
  class: 'errorClass',
  location: 'errorLocation',
  state: 'state',
  instance: 'instance',
  version: 'version',
};

interface CountReport extends Counts {
  readonly value: string | number | null;
}

/** Counts requests, by column or in total, largest groups first. */
async function reportCounts(
  source: ReportSource,
  where: readonly ProfileCondition[],
  column?: string,
): Promise<Report<CountReport>> {
  const groupBy = column === undefined ? [] : [column];
  const { groups, complete } = await source.totals({ where, groupBy });
  const rows = groups.map(({ values: [value = null], count, failed }) => ({ value, count, failed }));
  return { rows, total: rows.reduce((sum, { count }) => sum + count, 0), complete };
}

/** A log line with the request that wrote it. `time` is in milliseconds since the epoch. */
interface LogReport extends Pick<RecordedLog, 'time' | 'level' | 'channel' | 'message'> {
  readonly token: string;
}

const [warningRank, errorRank] = [logLevels.indexOf('warning'), logLevels.indexOf('error')];
const maxRead = 500;

/** Finds several requests' log lines, newest request first; reads at most 500 records. */
async function reportLogs(
  source: ReportSource,
  { where, limit, values: { text = '', level } }: ReportInput,
): Promise<Report<LogReport>> {
  const lowest = logLevels.findIndex((name) => name === level);
  const warned = ['warnings', 'nodeWarnings'];
  const columns = lowest >= errorRank ? ['errors'] : lowest >= warningRank ? warned : ['logs'];
  const logged: ProfileCondition = { columns, test: { kind: 'numbers', ranges: [[1, null]] } };
  const wanted = text.toLowerCase();
  const isWanted = ({ level: of, channel, message }: RecordedLog): boolean =>
    logLevels.findIndex((name) => name === of) >= lowest &&
    `${channel} ${message}`.toLowerCase().includes(wanted);
  const rows: LogReport[] = [];
  let read = 0;
  let before: string | undefined;
  do {
    const query = { where: [logged, ...where], limit: 100, ...(before === undefined ? {} : { before }) };
    const page = await source.list(query);
    for (const { token } of page.rows) {
      read++;
      const found = await source.find(token);
      const logs = found.kind === 'found' ? found.record.logs : [];
      for (const { time, level: of, channel, message } of logs.filter(isWanted))
        rows.push({ token, time, level: of, channel, message });
      if (rows.length >= limit) return { rows, complete: false };
    }
    before = page.next ?? undefined;
  } while (before !== undefined && read < maxRead);
  return { rows, complete: before === undefined };
}

/** A report's input: conditions, the maximum number of rows, and parameters by name. */
interface ReportInput {
  readonly where: readonly ProfileCondition[];
  readonly limit: number;
  readonly values: Readonly<Record<string, string | undefined>>;
}

/** A question about many requests, shared by commands and tools for assistants. */
export interface RecordReport<Row = object> {
  readonly description: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** Returns the rows, possibly more than `limit`; a sentence if a parameter value is invalid. */
  read(source: ReportSource, input: ReportInput): Promise<Report<Row>> | string;
  cells(
    row: Row,
    format: { readonly time: (at: number) => string; readonly values: ReportInput['values'] },
  ): Readonly<Record<string, string>>;
}

const maxMessageLength = 200;

function refuseValue(name: string, given: string, known: readonly string[]): string {
  return `"${name}" must be one of ${known.join(', ')}, not "${given}".`;
}

/** Reports by command name. */
export const recordReports: {
  readonly errors: RecordReport<ErrorReportRow>;
  readonly slow: RecordReport<RouteReport>;
  readonly count: RecordReport<CountReport>;
  readonly logs: RecordReport<LogReport>;
} = {
  errors: {
    description:
      'Counts errors by kind (class, line or else route, and shape of the message), failures before refusals and the most frequent first, with the newest message.',
    parameters: {},
    read: (source, { where }) => reportErrors(source, where),
    cells: ({ error, location, message, count, firstAt, lastAt, lastToken }, { time }) => ({
      Count: String(count),
      Message: shorten(message ?? '', maxMessageLength),
      Error: error ?? '',
      Location: location ?? '',
      First: time(firstAt),
      Last: time(lastAt),
      Token: lastToken,
    }),
  },
  slow: {
    description: 'Lists routes by the 95th percentile of their durations, slowest first.',
    parameters: {},
    read: (source, { where }) => reportRoutes(source, where),
    cells: ({ route, p50, p95, slowest, count, failed, lastToken }) => ({
      Route: route ?? '(none)',
      p50: formatMilliseconds(p50),
      p95: formatMilliseconds(p95),
      Slowest: formatMilliseconds(slowest),
      Count: String(count),
      Failed: String(failed),
      Token: lastToken,
    }),
  },
  count: {
    description: 'Counts the requests that match a query, all together or by a column, largest groups first.',
    parameters: { by: `Column: ${Object.keys(countedColumns).join(', ')}` },
    read: (source, { where, values: { by } }) =>
      by === undefined || Object.hasOwn(countedColumns, by)
        ? reportCounts(source, where, countedColumns[by ?? ''])
        : refuseValue('by', by, Object.keys(countedColumns)),
    cells: ({ value, count, failed }, { values: { by = 'all' } }) => ({
      Count: String(count),
      Failed: String(failed),
      [by]: String(value ?? '(none)'),
    }),
  },
  logs: {
    description:
      'Finds log lines in the requests that match a query, those of the newest request first. Reads 500 records at most.',
    parameters: {
      text: 'Part of the message or the channel, ignoring case',
      level: `Lowest level: ${logLevels.join(', ')}`,
    },
    read: (source, input) => {
      const { level } = input.values;
      return level === undefined || isLogLevel(level)
        ? reportLogs(source, input)
        : refuseValue('level', level, logLevels);
    },
    cells: ({ time: at, token, level, channel, message }, { time }) => ({
      Token: token,
      Time: time(at),
      Level: level,
      Channel: channel,
      Message: message,
    }),
  },
};
