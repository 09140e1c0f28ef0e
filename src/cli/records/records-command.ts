import { type Command, createCommand } from '#core/command';
import { say } from '#core/phrases';
import {
  formatAge,
  formatMilliseconds,
  labelledFields,
  parseQuery,
  parseSort,
  problemsOf,
  type ProfileCondition,
  type ProfileQuery,
  type ProfileSort,
  type ProfileSummary,
} from '#profiler';
import {
  type CliOutput,
  formatTime,
  readNumber,
  renderRows,
  renderJson,
  UsageError,
} from '../command-line/terminal.js';
import { cliErrors } from '../command-line/error-codes.js';
import {
  jsonOption,
  limitOption,
  maxLines,
  type OpenedArchive,
  storeOption,
  withRecords,
} from './open-records.js';
import { setTimeout as pause } from 'node:timers/promises';
import { styleText } from 'node:util';

const lookMs = 1000;

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
        own: { type: 'boolean', description: 'List the requests of the profiler’s own pages' },
        follow: { type: 'boolean', short: 'f', description: 'Continue with new records from any process' },
        sort: {
          type: 'string',
          description:
            'A number, largest first: duration, status, queries …; the smallest first with =-duration',
        },
      },
    },
    ({ options: { store, json, limit, own, follow, sort }, positionals }) =>
      withRecords(store, async (archive) => {
        const show = (rows: readonly ProfileSummary[], { hasHead = true } = {}): void => {
          if (json === true) for (const row of rows) output.out(`${renderJson(row)}\n`);
          else if (rows.length > 0) {
            const text = renderRecords(rows, archive, output);
            output.out(
              hasHead
                ? text
                : text
                    .split('\n')
                    .slice(output.columns === undefined ? 2 : 1)
                    .join('\n'),
            );
          }
        };
        const query: ProfileQuery = {
          origin: own === true ? 'profiler' : 'app',
          where: readQueryWords(archive, positionals),
        };
        if (follow === true) return followNews(archive, query, (rows) => show(rows, { hasHead: false }));
        const order = sort === undefined ? {} : { sort: readSort(archive, sort) };
        const { rows, next } = await archive.list({
          ...query,
          ...order,
          limit: readNumber('limit', limit, maxLines),
        });
        show(rows);
        if (rows.length === 0 && json !== true) output.err('No record matches.\n');
        const [newest] = rows;
        if (json !== true && output.columns !== undefined && newest !== undefined) {
          const { groups, complete } = await archive.totals({ ...query, isCountOnly: true });
          const total = complete ? groups[0]?.count : undefined;
          const facts = { shown: rows.length, total, hasMore: next !== null, limit, token: newest.token };
          output.out(paintDim(`${describeShown(facts)}\n`, output));
        } else if (next !== null && json !== true) output.err('There are more: see --limit.\n');
        return rows.length === 0 ? 1 : 0;
      }),
  );
}

/** Describes how many records are listed, how to get more, and how to read one. */
function describeShown(facts: {
  readonly shown: number;
  /** Undefined if not all could be counted. */
  readonly total: number | undefined;
  readonly hasMore: boolean;
  readonly limit: string;
  readonly token: string;
}): string {
  const { shown, total, hasMore, limit, token } = facts;
  const all = total === undefined ? 'more' : total.toLocaleString('en');
  const count = hasMore ? `${shown} of ${all}` : say('{n} record|{n} records', { n: shown });
  return [count, ...(hasMore ? [`--limit ${limit}`] : []), `lookback show ${token}`].join(' · ');
}

function paintDim(line: string, { isColored }: CliOutput): string {
  return isColored === true ? `${styleText('dim', line.trimEnd())}\n` : line;
}

/** Parses command line words as conditions. Throws `CLI_BAD_QUERY`. */
export function readQueryWords(
  { collected }: OpenedArchive,
  words: readonly string[],
): readonly ProfileCondition[] {
  // A word with spaces was quoted in the shell: "full text", or several parts at once.
  const query = words.join(' ');
  const { where, problems } = parseQuery(query, { collected });
  if (problems.length > 0)
    throw cliErrors.create('CLI_BAD_QUERY', {
      problem: problems.map(({ from, to, words: why }) => `“${query.slice(from, to)}”: ${why}`).join(' '),
    });
  return where;
}

function readSort({ collected }: OpenedArchive, text: string): ProfileSort {
  const sort = parseSort(text, { collected });
  if (sort !== undefined) return sort;
  throw new UsageError(`--sort must name a number, such as duration, status or queries, not "${text}".`);
}

/** Shows new records until the user ends the process. */
async function followNews(
  archive: OpenedArchive,
  query: ProfileQuery,
  show: (rows: readonly ProfileSummary[]) => void,
): Promise<never> {
  let { position } = (await archive.news(query, null)) ?? {};
  for (;;) {
    const news = position === undefined ? undefined : await archive.news(query, position);
    if (news === undefined) throw cliErrors.create('CLI_NO_NEWS', {});
    show(news.rows);
    ({ position } = news);
    if (news.rows.length === 0) await pause(lookMs);
  }
}

/**
 * Renders records as a table: all facts for a pipe; for a terminal what fits, with a time bar and the worst problem.
 */
function renderRecords(rows: readonly ProfileSummary[], archive: OpenedArchive, output: CliOutput): string {
  const problemOf = (row: ProfileSummary): string => {
    const { words = '', location } = worstOf(row) ?? {};
    return location === undefined ? words : `${words} ${location}`;
  };
  const worstOf = (row: ProfileSummary): ReturnType<typeof problemsOf>[number] | undefined =>
    problemsOf(row, archive.collected)[0];
  const { columns: width } = output;
  const labelled = labelledFields.filter(({ name }) => rows.some((row) => row[name] !== null));
  const labelledOf = (row: ProfileSummary): Record<string, string> =>
    Object.fromEntries(labelled.map(({ name, label }) => [label, String(row[name] ?? '')]));
  if (width === undefined)
    return renderRows(
      rows.map((row) => ({ ...recordRow(row), ...labelledOf(row), Problem: problemOf(row) })),
    );
  const durations = rows.map(({ durationMs }) => durationMs).sort((a, b) => a - b);
  const end = durations[Math.ceil(durations.length * 0.9) - 1] ?? 1;
  const isWide = width >= minBarWidth;
  const now = Date.now();
  const cells = rows.map((row) => {
    const { Token, Status, Method, Path, Duration } = recordRow(row);
    const bar = '█'.repeat(Math.min(barCells, Math.max(1, Math.round((row.durationMs / end) * barCells))));
    const age = formatAge(now - row.startedAt).replace(' ago', '');
    return {
      Token,
      Age: age.padStart(8),
      Request: `${Status} ${Method} ${Path}`,
      ...(isWide ? { ...labelledOf(row), '': bar } : {}),
      Time: Duration.padStart(8),
      [problemColumn]: problemOf(row),
    };
  });
  return renderRows(cells, {
    width,
    isUnruled: true,
    flexible: ['Request', ...labelled.map(({ label }) => label), problemColumn],
    paint: (at, column, text) => {
      const row = rows[at];
      if (output.isColored !== true) return text;
      if (row === undefined) return styleText('dim', text);
      if (column === 'Request') return text.replace(/^\S+/, paintStatus);
      if (column === '') return paintBar(text, row);
      const { tone } = worstOf(row) ?? {};
      if (column !== problemColumn || tone === undefined || tone === 'plain') return text;
      return styleText(tone === 'err' ? 'red' : 'yellow', text);
    },
  });
}

const problemColumn = 'What stands out';

/** Minimum terminal width for the bar; in narrower terminals only the words remain. */
const minBarWidth = 100;

/** Width in cells of the longest bar. Nine in ten requests fit; longer bars are cut, with the time next to them. */
const barCells = 10;

function paintStatus(text: string): string {
  if (/^5|^un/.test(text)) return styleText('red', text);
  return /^4|^ab/.test(text) ? styleText('yellow', text) : text;
}

const colors = {
  framework: 'gray',
  app: 'cyan',
  database: 'blue',
  http: 'yellow',
  rendering: 'magenta',
  profiler: 'white',
  waiting: 'dim',
  busy: 'dim',
  unaccounted: 'dim',
} as const;

/** Inactive categories have their own character. */
const cellsOf: Readonly<Record<string, string>> = { waiting: '─', busy: '▒', unaccounted: '░' };

/** Colours a bar's cells by category, in proportion to the time. */
function paintBar(text: string, { breakdown, durationMs }: ProfileSummary): string {
  const length = text.trimEnd().length;
  let [spent, done, bar] = [0, 0, ''];
  for (const [category, color] of Object.entries(colors)) {
    spent += breakdown[category as keyof typeof colors]; // the keys of `colors`
    const cells = Math.round((spent / durationMs) * length) - done;
    if (cells > 0) bar += styleText(color, (cellsOf[category] ?? '█').repeat(cells));
    done += Math.max(0, cells);
  }
  return bar + ' '.repeat(text.length - Math.min(done, text.length));
}

function recordRow(row: ProfileSummary) {
  const queries = row.collected['db.queries'] ?? 0;
  return {
    Token: row.token,
    Time: formatTime(row.startedAt),
    Status: row.status === 0 ? row.state : String(row.status),
    Method: row.method,
    Path: row.url.replace(/^[a-z]+:\/\/[^/?#]*/i, '') || '/',
    Duration: formatMilliseconds(row.durationMs),
    Queries: queries === 0 ? '' : String(queries),
    Route: row.route ?? '',
    Error: row.errorClass ?? '',
  };
}
