import { type Command, createCommand } from '#command';
import { logLevels } from '#log';
import {
  type CountedColumn,
  countedColumns,
  formatMilliseconds,
  type ProfileCondition,
  reportCounts,
  reportErrors,
  reportLogs,
  reportRoutes,
} from '#profiler';
import {
  type CliOutput,
  formatTime,
  readNumber,
  renderJson,
  renderRows,
  UsageError,
} from '../command-line/terminal.js';
import { readQueryWords } from './list-commands.js';
import {
  jsonOption,
  limitOption,
  maxLines,
  type OpenedArchive,
  storeOption,
  withRecords,
} from './open-records.js';

const incompleteCount = 'There are more groups: the largest 1,000 are counted.\n';
const maxMessageLength = 100;

/** `lookback errors`. */
export function errorsCommand(output: CliOutput): Command {
  return reportCommand(output, {
    name: 'errors',
    description:
      'Counts errors by class and place, failures before refusals and the most frequent first, with the newest message.',
    read: (archive, where) => reportErrors(archive, where),
    cells: ({ error, place, message, count, firstAt, lastAt, lastToken }) => {
      const what = { Count: String(count), Message: clipText(message ?? '', maxMessageLength) };
      // A terminal has room for the file's name and the time of day only, a narrow one not for the class.
      if (output.columns !== undefined)
        return {
          ...what,
          ...(output.columns < 100 ? {} : { Error: error ?? '' }),
          Place: place?.slice(place.lastIndexOf('/') + 1) ?? '',
          Last: formatTime(lastAt).slice(5, 16),
          Token: lastToken,
        };
      return {
        ...what,
        Error: error ?? '',
        Place: place ?? '',
        First: formatTime(firstAt),
        Last: formatTime(lastAt),
        Token: lastToken,
      };
    },
  });
}

/** `lookback slow`. */
export function slowCommand(output: CliOutput): Command {
  return reportCommand(output, {
    name: 'slow',
    description: 'Lists routes by the 95th percentile of their durations, slowest first.',
    read: (archive, where) => reportRoutes(archive, where),
    cells: ({ route, p50, p95, slowest, count, failed, lastToken }) => ({
      Route: route ?? '(none)',
      p50: formatMilliseconds(p50),
      p95: formatMilliseconds(p95),
      Slowest: formatMilliseconds(slowest),
      Count: String(count),
      Failed: String(failed),
      Token: lastToken,
    }),
  });
}

/** `lookback count`. */
export function countCommand(output: CliOutput): Command {
  const columns = Object.keys(countedColumns);
  return createCommand(
    'count',
    {
      description:
        'Counts the requests that match a query, all together or by a column, largest groups first.',
      positionals: ['query…'],
      options: {
        ...storeOption,
        ...jsonOption,
        ...limitOption,
        by: { type: 'string', description: `Column: ${columns.join(', ')}` },
      },
    },
    ({ options: { store, json, limit, by }, positionals }) => {
      if (by !== undefined && !isCountedColumn(by))
        throw new UsageError(`--by must be one of ${columns.join(', ')}, not "${by}".`);
      return withRecords(store, async (archive) => {
        const report = await reportCounts(archive, readQueryWords(archive, positionals), by);
        if (by === undefined && json !== true) output.out(`${report.total}\n`);
        else
          showRows(output, report.rows.slice(0, readNumber('limit', limit, maxLines)), {
            isJson: json === true,
            cells: ({ value, count, failed }) => ({
              Count: String(count),
              Failed: String(failed),
              [by ?? 'all']: value === null ? '(none)' : String(value),
            }),
          });
        if (!report.complete) output.err(incompleteCount);
        return report.total === 0 ? 1 : 0;
      });
    },
  );
}

/** `lookback logs`. */
export function logsCommand(output: CliOutput): Command {
  return createCommand(
    'logs',
    {
      description:
        'Finds log lines in the requests that match a query, those of the newest request first. Reads 500 records at most.',
      positionals: ['query…'],
      options: {
        ...storeOption,
        ...jsonOption,
        ...limitOption,
        text: { type: 'string', description: 'Part of the message or the channel, ignoring case' },
        level: { type: 'string', description: `Lowest level: ${logLevels.join(', ')}` },
      },
    },
    ({ options: { store, json, limit, text, level }, positionals }) => {
      if (level !== undefined && !logLevels.some((name) => name === level))
        throw new UsageError(`--level must be one of ${logLevels.join(', ')}, not "${level}".`);
      return withRecords(store, async (archive) => {
        const { rows, complete } = await reportLogs(archive, {
          where: readQueryWords(archive, positionals),
          text,
          level,
          limit: readNumber('limit', limit, maxLines),
        });
        showRows(output, rows, {
          isJson: json === true,
          cells: (line) => ({
            Time: formatTime(line.time),
            Token: line.token,
            Level: line.level,
            Channel: line.channel,
            Message: line.message,
          }),
        });
        if (!complete) output.err('There may be more: narrow the query, or see --limit.\n');
        return rows.length === 0 ? 1 : 0;
      });
    },
  );
}

function isCountedColumn(name: string): name is CountedColumn {
  return Object.hasOwn(countedColumns, name);
}

function clipText(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;
}

const textColumns = ['Message', 'Error', 'Place', 'Route'];

/** Prints rows as JSON, one line each, or as a table. */
function showRows<Row extends object>(
  output: CliOutput,
  rows: readonly Row[],
  {
    isJson,
    cells,
  }: { readonly isJson: boolean; readonly cells: (row: Row) => Readonly<Record<string, string>> },
): void {
  if (isJson) for (const row of rows) output.out(`${renderJson(row)}\n`);
  else if (rows.length > 0)
    output.out(renderRows(rows.map(cells), { width: output.columns, flexible: textColumns }));
}

/** Creates a command that reports on the requests of a query and prints a line for each row. */
function reportCommand<Row extends object>(
  output: CliOutput,
  report: {
    readonly name: string;
    readonly description: string;
    /** Returns all rows in order. */
    readonly read: (
      archive: OpenedArchive,
      where: readonly ProfileCondition[],
    ) => Promise<{ readonly rows: readonly Row[]; readonly complete: boolean }>;
    readonly cells: (row: Row) => Readonly<Record<string, string>>;
  },
): Command {
  const { name, description, read, cells } = report;
  return createCommand(
    name,
    { description, positionals: ['query…'], options: { ...storeOption, ...jsonOption, ...limitOption } },
    ({ options: { store, json, limit }, positionals }) =>
      withRecords(store, async (archive) => {
        const { rows, complete } = await read(archive, readQueryWords(archive, positionals));
        const shown = rows.slice(0, readNumber('limit', limit, maxLines));
        showRows(output, shown, { isJson: json === true, cells });
        if (!complete) output.err(incompleteCount);
        return shown.length === 0 ? 1 : 0;
      }),
  );
}
