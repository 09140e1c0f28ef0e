import { type Command, createCommand } from '#command';
import {
  type ProfileCondition,
  type ProfileQuery,
  type ProfileSummary,
  type ProfileTotals,
  durationQuantile,
  parseQuery,
} from '#profiler';
import type { CliOutput } from '../command-line/cli-output.js';
import { cliErrors } from '../command-line/error-codes.js';
import { readNumber } from '../command-line/read-number.js';
import { renderRows, renderJson } from '../command-line/render-rows.js';
import { type OpenedArchive, storeOption, withRecords } from './open-records.js';
import { styleText } from 'node:util';

const jsonOption = { json: { type: 'boolean', description: 'Print JSON, one line per entry' } } as const;
const limitOption = {
  limit: { type: 'string', short: 'n', default: '20', description: 'Maximum number of lines, up to 1,000' },
} as const;
const maxLines = 1000;
const ownOption = {
  own: { type: 'boolean', description: 'List the requests of the profiler’s own pages' },
} as const;

/** `lookback records`. */
export function recordsCommand(output: CliOutput): Command {
  return createCommand(
    'records',
    {
      description:
        'Lists the requests that match a query, newest first: status:>=500 route:blog_* time:>200ms path:!/health after:10m\n' +
        'Exit code 1 if there is none. Put "--" before a part that begins with "-".',
      positionals: ['query…'],
      options: {
        ...storeOption,
        ...jsonOption,
        ...limitOption,
        ...ownOption,
        follow: { type: 'boolean', short: 'f', description: 'Continue with new records of any process' },
        sort: { type: 'string', description: 'A numeric column, largest first: durationMs, db.queries' },
      },
    },
    ({ options: { store, json, limit, own, follow, sort }, positionals }) =>
      withRecords(store, async (archive) => {
        const show = (rows: readonly ProfileSummary[], { hasHead = true } = {}): void => {
          if (json === true) for (const row of rows) output.out(`${renderJson(row)}\n`);
          else if (rows.length > 0) {
            const text = renderRows(rows.map(recordRow), 'table', paintRow(output));
            output.out(hasHead ? text : text.split('\n').slice(2).join('\n'));
          }
        };
        const query: ProfileQuery = {
          bucket: own === true ? 'profiler' : 'app',
          where: readQueryWords(archive, positionals),
        };
        if (follow === true) return followNews(archive, query, (rows) => show(rows, { hasHead: false }));
        const order = sort === undefined ? {} : { sort: { column: sort, isAscending: false } };
        const {
          rows,
          next,
          complete,
          damaged = 0,
        } = await archive.list({ ...query, ...order, limit: readNumber('limit', limit, maxLines) });
        show(rows);
        if (rows.length === 0 && json !== true) output.err('No record matches.\n');
        if (next !== null && json !== true) output.err('There are more: see --limit.\n');
        if (damaged > 0)
          output.err(`${damaged} records cannot be read and are missing here: see lookback store check.\n`);
        if (!complete) output.err('The search reached its time limit: there may be more.\n');
        return rows.length === 0 ? 1 : 0;
      }),
  );
}

/** `lookback errors`. */
export function errorsCommand(output: CliOutput): Command {
  return groupsCommand(output, {
    name: 'errors',
    description: 'Counts errors by class and place, the most frequent first.',
    among: ['has:error'],
    groupBy: ['errorClass', 'errorPlace'],
    rowsOf: (groups) =>
      groups.map(({ values: [error, place], count, firstAt, lastAt, lastToken }) => ({
        facts: { error, place, count, firstAt, lastAt, lastToken },
        cells: {
          Count: String(count),
          Error: String(error ?? ''),
          Place: String(place ?? ''),
          First: formatTime(firstAt),
          Last: formatTime(lastAt),
          Token: lastToken,
        },
      })),
  });
}

/** `lookback slow`. */
export function slowCommand(output: CliOutput): Command {
  return groupsCommand(output, {
    name: 'slow',
    description: 'Lists routes by the 95th percentile of their durations, slowest first.',
    among: [],
    groupBy: ['route'],
    rowsOf: (groups) =>
      groups
        .map(({ values: [route], count, failed, durations, lastToken }) => ({
          route,
          count,
          failed,
          p50: durationQuantile(durations, 0.5),
          p95: durationQuantile(durations, 0.95),
          slowest: durationQuantile(durations, 1),
          lastToken,
        }))
        .toSorted((a, b) => b.p95 - a.p95)
        .map((facts) => ({
          facts,
          cells: {
            Route: String(facts.route ?? '(none)'),
            p50: formatMs(facts.p50),
            p95: formatMs(facts.p95),
            Slowest: formatMs(facts.slowest),
            Count: String(facts.count),
            Failed: String(facts.failed),
            Token: facts.lastToken,
          },
        })),
  });
}

interface GroupsCommand {
  readonly name: string;
  readonly description: string;
  /** Conditions in addition to those of the command line. */
  readonly among: readonly string[];
  readonly groupBy: readonly string[];
  /** Returns all rows in order: the values for JSON, and the cells of the table. */
  readonly rowsOf: (groups: ProfileTotals['groups']) => readonly {
    readonly facts: object;
    readonly cells: Readonly<Record<string, string>>;
  }[];
}

/** Creates a command that groups the requests of a query and prints a line for each group. */
function groupsCommand(
  output: CliOutput,
  { name, description, among, groupBy, rowsOf }: GroupsCommand,
): Command {
  return createCommand(
    name,
    { description, positionals: ['query…'], options: { ...storeOption, ...jsonOption, ...limitOption } },
    ({ options: { store, json, limit }, positionals }) =>
      withRecords(store, async (archive) => {
        const where = readQueryWords(archive, [...among, ...positionals]);
        const { groups, complete } = await archive.totals({ where, groupBy });
        const rows = rowsOf(groups).slice(0, readNumber('limit', limit, maxLines));
        if (json === true) for (const { facts } of rows) output.out(`${renderJson(facts)}\n`);
        else if (rows.length > 0)
          output.out(
            renderRows(
              rows.map(({ cells }) => cells),
              'table',
            ),
          );
        if (!complete) output.err('Counting reached its time limit: these are minimum numbers.\n');
        return rows.length === 0 ? 1 : 0;
      }),
  );
}

/** Parses the words of a command line as conditions. Throws `CLI_BAD_QUERY`. */
export function readQueryWords(
  { collected }: OpenedArchive,
  words: readonly string[],
): readonly ProfileCondition[] {
  // A word with spaces was quoted in the shell: "full text", or several parts at once.
  const { where, problems } = parseQuery(words.join(' '), { collected });
  if (problems.length > 0)
    throw cliErrors.create('CLI_BAD_QUERY', { problem: problems.map((problem) => problem.words).join(' ') });
  return where;
}

/** Shows new records until the user ends the process. */
async function followNews(
  archive: OpenedArchive,
  query: ProfileQuery,
  show: (rows: readonly ProfileSummary[]) => void,
): Promise<never> {
  const alive = setInterval(() => undefined, 60_000); // following a store does not keep the process alive
  try {
    let { position } = (await archive.news(query, null)) ?? {};
    for (;;) {
      const news = position === undefined ? undefined : await archive.news(query, position);
      if (news === undefined) throw cliErrors.create('CLI_NO_NEWS', {});
      show(news.rows);
      ({ position } = news);
      if (news.rows.length > 0) continue;
      await new Promise<void>((resolve) => {
        const stop = archive.onNews(() => {
          stop();
          resolve();
        });
      });
    }
  } finally {
    clearInterval(alive);
  }
}

/** Formats milliseconds for a column. */
function formatMs(value: number): string {
  return value >= 1000 ? `${(value / 1000).toFixed(2)} s` : `${value.toFixed(value >= 100 ? 0 : 1)} ms`;
}

/** Formats a time in the local time zone, to the second. */
function formatTime(at: number): string {
  const local = new Date(at - new Date(at).getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19).replace('T', ' ');
}

/** Returns a record as a row of a table. */
function recordRow(row: ProfileSummary): Readonly<Record<string, string>> {
  const queries = row.collected['db.queries'] ?? 0;
  return {
    Token: row.token,
    Time: formatTime(row.startedAt),
    Status: row.status === 0 ? row.state : String(row.status),
    Method: row.method,
    Path: row.url.replace(/^[a-z]+:\/\/[^/?#]*/i, '') || '/',
    Duration: formatMs(row.durationMs),
    Queries: queries === 0 ? '' : String(queries),
    Route: row.route ?? '',
    Error: row.errorClass ?? '',
  };
}

/** Colours the status in a finished row, without changing words or widths. */
function paintRow(output: CliOutput): (row: Readonly<Record<string, string>>, line: string) => string {
  if (output.isColored !== true) return (_row, line) => line;
  return ({ Status: status = '' }, line) => {
    const color =
      status >= '500' && status < '600' ? 'red' : status >= '400' && status < '500' ? 'yellow' : 'green';
    return /^\d+$/.test(status) ? line.replace(` ${status} `, ` ${styleText(color, status)} `) : line;
  };
}
