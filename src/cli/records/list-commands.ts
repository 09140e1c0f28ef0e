import { type Command, createCommand } from '#command';
import type { ProfileCondition, ProfileQuery, ProfileSummary } from '#profiler';
import { durationQuantile, parseQuery } from '#profiler';
import type { CliOutput } from '../command-line/cli-output.js';
import { cliErrors } from '../command-line/error-codes.js';
import { renderRows, renderJson } from '../command-line/render-rows.js';
import { type OpenedArchive, storeOption, withRecords } from './open-records.js';
import { formatMs, formatTime, paintRow, recordRow } from './record-rows.js';

const jsonOption = { json: { type: 'boolean', description: 'JSON, one line for each' } } as const;
const limitOption = {
  limit: { type: 'string', short: 'n', default: '20', description: 'Lines at most, up to 1,000' },
} as const;
const ownOption = {
  own: { type: 'boolean', description: 'The requests of the profiler’s own pages' },
} as const;

/** `lookback records`, `errors` and `slow`. */
export function listCommands(output: CliOutput): readonly Command[] {
  return [records(output), errors(output), slow(output)];
}

function records(output: CliOutput): Command {
  return createCommand(
    'records',
    {
      description:
        'Requests, newest first, that a query asks for: status:>=500 route:blog_* time:>200ms path:!/health after:10m\n' +
        'Exit code 1 where there is none. A part that begins with "-" stands behind "--".',
      positionals: ['query…'],
      options: {
        ...storeOption,
        ...jsonOption,
        ...limitOption,
        ...ownOption,
        follow: { type: 'boolean', short: 'f', description: 'Goes on with what any process records' },
        sort: { type: 'string', description: 'A column of numbers, largest first: durationMs, db.queries' },
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
        const { rows, next, complete } = await archive.list({ ...query, ...order, limit: readLimit(limit) });
        show(rows);
        if (next !== null && json !== true) output.err('There are more: see --limit.\n');
        if (!complete) output.err('The search was stopped after some time: there may be others.\n');
        return rows.length === 0 ? 1 : 0;
      }),
  );
}

function errors(output: CliOutput): Command {
  return createCommand(
    'errors',
    {
      description: 'What was thrown, counted by class and place, the most frequent first.',
      positionals: ['query…'],
      options: { ...storeOption, ...jsonOption, ...limitOption },
    },
    ({ options: { store, json, limit }, positionals }) =>
      withRecords(store, async (archive) => {
        const where = readQueryWords(archive, ['has:error', ...positionals]);
        const { groups, complete } = await archive.totals({ where, groupBy: ['errorClass', 'errorPlace'] });
        const rows = groups
          .slice(0, readLimit(limit))
          .map(({ values: [error, place], count, firstAt, lastAt, lastToken }) => ({
            error,
            place,
            count,
            firstAt,
            lastAt,
            lastToken,
          }));
        if (json === true) for (const row of rows) output.out(`${renderJson(row)}\n`);
        else if (rows.length > 0)
          output.out(
            renderRows(
              rows.map(({ error, place, count, firstAt, lastAt, lastToken }) => ({
                Count: String(count),
                Error: String(error ?? ''),
                Place: String(place ?? ''),
                First: formatTime(firstAt),
                Last: formatTime(lastAt),
                Token: lastToken,
              })),
              'table',
            ),
          );
        if (!complete) output.err('Counting was stopped after some time: there are at least so many.\n');
        return rows.length === 0 ? 1 : 0;
      }),
  );
}

function slow(output: CliOutput): Command {
  return createCommand(
    'slow',
    {
      description: 'Routes by the duration that 95 % of their requests stay within, the slowest first.',
      positionals: ['query…'],
      options: { ...storeOption, ...jsonOption, ...limitOption },
    },
    ({ options: { store, json, limit }, positionals }) =>
      withRecords(store, async (archive) => {
        const where = readQueryWords(archive, positionals);
        const { groups, complete } = await archive.totals({ where, groupBy: ['route'] });
        const rows = groups
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
          .slice(0, readLimit(limit));
        if (json === true) for (const row of rows) output.out(`${renderJson(row)}\n`);
        else if (rows.length > 0)
          output.out(
            renderRows(
              rows.map(({ route, count, failed, p50, p95, slowest, lastToken }) => ({
                Route: String(route ?? '(none)'),
                p50: formatMs(p50),
                p95: formatMs(p95),
                Slowest: formatMs(slowest),
                Count: String(count),
                Failed: String(failed),
                Token: lastToken,
              })),
              'table',
            ),
          );
        if (!complete) output.err('Counting was stopped after some time: there are at least so many.\n');
        return rows.length === 0 ? 1 : 0;
      }),
  );
}

/** Conditions of the words of a command line. Throws `CLI_BAD_QUERY`. */
export function readQueryWords(
  { collected }: OpenedArchive,
  words: readonly string[],
): readonly ProfileCondition[] {
  // A word with spaces was in the shell's quotation marks: "full text", or several parts at once.
  const { where, problems } = parseQuery(words.join(' '), { collected });
  if (problems.length > 0)
    throw cliErrors.create('CLI_BAD_QUERY', { problem: problems.map((problem) => problem.words).join(' ') });
  return where;
}

function readLimit(text: string): number {
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= 1000) return limit;
  throw cliErrors.create('CLI_BAD_QUERY', { problem: `--limit is a number from 1 to 1,000, not "${text}".` });
}

/** Never ends by itself: whoever follows ends the process. */
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
    if (news.rows.length > 0) continue;
    await new Promise<void>((resolve) => {
      const stop = archive.onNews(() => {
        stop();
        resolve();
      });
    });
  }
}
