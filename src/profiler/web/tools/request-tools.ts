import { setTimeout as pause } from 'node:timers/promises';
import { createSourceLoader } from '#core/errors';
import { say } from '#core/phrases';
import type { ProfileCondition, ProfileList } from '../../model/profile-query.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import { parseSort } from '../../search/parse-query.js';
import { readPage } from '../archive/page-text.js';
import { withOriginalLocations } from '../record/original-locations.js';
import { changeFields, compareFindings, describeComparison, findOther } from './compare-text.js';
import { findProblems, problemFields } from './problems.js';
import { replayAndCompare } from './replay-verdict.js';
import { hasFailed, requestFields, requestRow } from './rows.js';
import {
  callsPart,
  databasePart,
  defaultParts,
  exchangePart,
  logPart,
  plainText,
  type RecordPart,
  summaryPart,
} from './show-record-text.js';
import {
  type Answer,
  type AnswerRow,
  asParameter,
  bytesOf,
  cutText,
  limitParameter,
  numberIn,
  orNull,
  searchParameter,
  readAs,
  readQuery,
  type ReadQuery,
  refuse,
  textIn,
  type Tool,
  type ToolContext,
  type ToolInput,
} from './tool.js';

const tokenParameter = {
  type: 'string',
  maxLength: 40,
  description: 'Token, or "latest"',
} as const;
const sinceParameter = {
  type: 'string',
  maxLength: 40,
  description: 'A period (10m), a time, or the token of a record',
} as const;

/** Converts a token or time that begins a list to conditions; returns a sentence if it is neither. */
async function readSince(
  since: string | undefined,
  { records, now }: ToolContext,
): Promise<readonly ProfileCondition[] | string> {
  if (since === undefined) return [];
  if (/^[\da-f]{6,32}$/.test(since)) {
    const found = await records.find(since);
    if (found.kind === 'found') {
      const { startedAt, durationMs } = found.record;
      return [
        { columns: ['startedAt'], test: { kind: 'numbers', ranges: [[startedAt + durationMs, null]] } },
      ];
    }
  }
  const read = readQuery(`after:${since}`, records, now());
  return typeof read === 'string'
    ? `"since" is a period (10m), a time, or the token of a record.`
    : read.where;
}

/** Counts the requests that meet conditions. */
async function countOf({ records }: ToolContext, where: readonly ProfileCondition[]): Promise<number> {
  const { groups } = await records.totals({ where, isCountOnly: true });
  return groups.reduce((sum, { count }) => sum + count, 0);
}

const problemsTool: Tool = {
  name: 'problems',
  description:
    'Start here. A ranked list of problems: errors, truncated responses, failed calls and queries, work not awaited, slow steps, N+1, 200 with a failure in its body, refusals and who got them, memory by route.',
  parameters: {
    since: sinceParameter,
    query: searchParameter,
    limit: limitParameter(20),
    as: asParameter,
  },
  row: problemFields,
  fields: { requests: { type: 'integer' } },
  async run(input, context) {
    const read = readQuery(textIn(input, 'query') ?? '', context.records, context.now());
    if (typeof read === 'string') return refuse(read);
    const since = await readSince(textIn(input, 'since'), context);
    if (typeof since === 'string') return refuse(since);
    const { rows, read: count, isComplete } = await findProblems(context.records, [...read.where, ...since]);
    const shown = rows.slice(0, numberIn(input, 'limit', 20));
    const advice = shown.length < 100 ? 'raise limit, or narrow query' : 'narrow query';
    const of = `${say('{n} request|{n} requests', { n: count })}${isComplete ? '' : ', the newest'}${read.words === '' ? '' : `, read as: ${read.words}`}`;
    return {
      head:
        rows.length === 0
          ? `Nothing is wrong with ${of}.`
          : `${say('{n} problem|{n} problems', { n: rows.length })} in ${of}: kind, how often, route, what, token`,
      rows: shown,
      ...(shown.length < rows.length
        ? { foot: `${rows.length - shown.length} further problems (${advice})` }
        : {}),
      data: { requests: count },
    };
  },
};

const findTool: Tool = {
  name: 'find',
  description:
    'Requests that match a query, newest first: token, time, status, path, duration, first finding.',
  parameters: {
    query: searchParameter,
    sort: {
      type: 'string',
      maxLength: 60,
      description: 'duration, status, queries, calls; largest first, "-" in front: smallest',
    },
    limit: limitParameter(20),
    cursor: { type: 'string', maxLength: 200, description: 'From the previous page' },
    as: asParameter,
  },
  row: requestFields,
  fields: { found: { type: 'integer' }, next: orNull },
  async run(input, context) {
    const read = readQuery(textIn(input, 'query') ?? '', context.records, context.now());
    if (typeof read === 'string') return refuse(read);
    const sort = textIn(input, 'sort');
    const order = sort === undefined ? undefined : parseSort(sort, { collected: context.records.collected });
    if (sort !== undefined && order === undefined)
      return refuse('"sort" names a number, such as duration, status or queries.');
    const before = textIn(input, 'cursor');
    const list = (limit: number): Promise<ProfileList> =>
      context.records.list({
        where: read.where,
        limit,
        ...(order === undefined ? {} : { sort: order }),
        ...(before === undefined ? {} : { before }),
      });
    const [found, all] = await Promise.all([countOf(context, read.where), countOf(context, [])]);
    const first = await list(numberIn(input, 'limit', 20));
    if (first.rows.length === 0 && before !== undefined)
      return refuse(
        `Nothing follows the cursor "${before.slice(0, 50)}": it is the last one, or does not belong to this list.`,
      );
    return findAnswer(first, { read, found, all, list });
  },
};

function findAnswer(
  page: ProfileList,
  about: {
    readonly read: ReadQuery;
    readonly found: number;
    readonly all: number;
    readonly list: (limit: number) => Promise<ProfileList>;
  },
): Answer {
  const { read, found, all, list } = about;
  return {
    head: readAs(read, found, all),
    rows: page.rows.map(requestRow),
    foot: page.next === null ? 'This is the end.' : `There is more: cursor "${page.next}"`,
    data: { found, next: page.next },
    shorten: async (rows) => findAnswer(await list(rows), about),
  };
}

const parts: Readonly<Record<string, (record: ProfileRecord, now: number) => RecordPart>> = {
  summary: summaryPart,
  exchange: exchangePart,
  db: databasePart,
  calls: callsPart,
  log: logPart,
};
/** Parts rendered as Markdown by one of the record page's panels. */
const panelParts: Readonly<Record<string, string>> = {
  error: 'exception',
  time: 'time',
  request: 'request',
  routing: 'routing',
  security: 'security',
  cache: 'cache',
  mail: 'mail',
  jobs: 'jobs',
  templates: 'view',
  events: 'events',
  dump: 'dump',
  trace: 'trace',
  process: 'config',
};
const partNames = [...Object.keys(parts), ...Object.keys(panelParts)];

const showTool: Tool = {
  name: 'show',
  description:
    'One request: findings, relevant headers and bodies, and data that its findings point to. By token or query (newest match, or nth); with neither, the newest that failed. Says what it omits.',
  parameters: {
    token: tokenParameter,
    query: searchParameter,
    nth: { type: 'integer', minimum: 1, maximum: 100, description: 'Match of the query' },
    refused: { type: 'boolean', description: 'With neither: also 4xx' },
    parts: {
      type: 'array',
      items: { type: 'string', enum: partNames },
      description: 'Default: what the findings need',
    },
  },
  async run(input, context) {
    const chosen = await chooseRecord(input, context);
    if (!('record' in chosen)) return chosen;
    const { record, head } = chosen;
    const wanted = Array.isArray(input['parts']) ? input['parts'].map(String) : defaultParts(record);
    return {
      head: await renderParts(record, { wanted, head, budget: numberIn(input, 'budget', 3000) }, context),
    };
  },
};

async function chooseRecord(
  input: ToolInput,
  context: ToolContext,
): Promise<{ readonly record: ProfileRecord; readonly head: string } | Answer> {
  const { records } = context;
  const query = textIn(input, 'query');
  let token = textIn(input, 'token');
  let head = '';
  if (token === undefined && query !== undefined) {
    const read = readQuery(query, records, context.now());
    if (typeof read === 'string') return refuse(read);
    const nth = numberIn(input, 'nth', 1);
    const { rows } = await records.list({ where: read.where, limit: nth });
    head = readAs(read, await countOf(context, read.where), await countOf(context, []));
    token = rows[nth - 1]?.token;
    if (token === undefined) return refuse(`No such request. ${head}`);
  } else if (token === undefined) {
    const { rows } = await records.list({ limit: 1000 });
    const isRefused = input['refused'] === true;
    token = rows.find((row) => hasFailed(row) || (isRefused && row.status >= 400))?.token;
    head = isRefused ? 'The newest request that failed or was refused.' : 'The newest request that failed.';
    const how = isRefused ? 'failed or was refused' : 'failed';
    if (token === undefined)
      return refuse(`None of the newest ${rows.length} requests ${how}. See problems, or pass a query.`);
  }
  const found = await records.find(token);
  if (found.kind === 'found') return { record: withOriginalLocations(found.record, sources), head };
  const { text } = await readPage(records, token, { format: 'json' });
  const { title, detail } = JSON.parse(text) as Record<'title' | 'detail', string>; // our own problem document
  return refuse(`${title}. ${detail}`);
}

async function renderParts(
  record: ProfileRecord,
  {
    wanted,
    head,
    budget,
  }: { readonly wanted: readonly string[]; readonly head: string; readonly budget: number },
  { records, now }: ToolContext,
): Promise<string> {
  const out: string[] = head === '' ? [] : [head];
  const left: string[] = [];
  let room = budget - 450;
  for (const [at, name] of wanted.entries()) {
    const panel = panelParts[name];
    const part: RecordPart =
      panel === undefined
        ? (parts[name]?.(record, now()) ?? { lines: [] })
        : { lines: [panelBody((await readPage(records, record.token, { format: 'md', panel })).text)] };
    const text = part.lines.join('\n').trim();
    if (part.left !== undefined) left.push(part.left);
    if (text === '') continue;
    // Reserves some room for later parts.
    const share = Math.max(250, Math.floor(room / Math.max(1, Math.min(2, wanted.length - at))));
    if (room < 150) {
      left.push(`${name} (parts: ${name})`);
      continue;
    }
    const kept = cutText(text, name === 'summary' ? room : share);
    out.push(name === 'summary' ? kept : `## ${name}\n${kept}`);
    room -= bytesOf(kept) + name.length + 5;
  }
  const others = partNames.filter((name) => !wanted.includes(name) && name in parts);
  if (others.length > 0) left.push(`parts ${others.join(', ')}`);
  if (left.length > 0) out.push(`Left out: ${left.join('; ')}`);
  return out.join('\n');
}

/** Returns a panel's text, without the parts already in the summary. */
function panelBody(markdown: string): string {
  const from = markdown.indexOf('\n## ');
  const body = from === -1 ? '' : markdown.slice(from).replace(/^\s*## .*\n/, '');
  return plainText(body);
}

const compareTool: Tool = {
  name: 'compare',
  description:
    'How two requests differ: findings, outcome, what was sent, the first step that differs, time, queries.',
  parameters: {
    token: tokenParameter,
    with: { type: 'string', maxLength: 40, description: 'A token, "last-good" (default) or "previous"' },
    as: asParameter,
  },
  required: ['token'],
  fields: changeFields,
  async run(input, context) {
    const chosen = await chooseRecord(input, context);
    if (!('record' in chosen)) return chosen;
    const other = await findOther(context.records, chosen.record, textIn(input, 'with') ?? 'last-good');
    if (typeof other === 'string') return refuse(other);
    const { record } = chosen;
    if (input['as'] === 'data') return { data: compareFindings(record, other).data };
    return { head: await describeComparison(context.records, record, other) };
  },
};

const replayTool: Tool = {
  name: 'replay',
  description:
    'Sends a recorded request again, without its secrets. Reports whether it is complete, the error, resolved and new findings, and differences. GET, HEAD, OPTIONS; others if the server was started with --write.',
  parameters: { token: tokenParameter },
  required: ['token'],
  acts: true,
  async run(input, context) {
    const chosen = await chooseRecord(input, context);
    if (!('record' in chosen)) return chosen;
    const { replayTo: to, write: mayWrite } = context;
    const verdict = await replayAndCompare(context.records, chosen.record, { to, mayWrite });
    return typeof verdict === 'string'
      ? refuse(`It was not sent: ${verdict}.`)
      : { head: verdict.lines.join('\n') };
  },
};

const lookMs = 250;
/** Maximum problems in a `watch` answer. */
const maxWatched = 8;

/** Maps compiled lines to the original sources; caches the files it has read. */
const sources = createSourceLoader();

const watchTool: Tool = {
  name: 'watch',
  description: 'Requests since a token or time, with their problems; can wait for the first.',
  parameters: {
    since: { ...sinceParameter, description: `${sinceParameter.description}; default now` },
    wait: {
      type: 'integer',
      minimum: 0,
      maximum: 60,
      description: 'Seconds to wait for a request',
    },
    query: searchParameter,
    as: asParameter,
  },
  row: requestFields,
  fields: { requests: { type: 'integer' }, failed: { type: 'integer' } },
  async run(input, context) {
    const { records } = context;
    const read = readQuery(textIn(input, 'query') ?? '', records, context.now());
    if (typeof read === 'string') return refuse(read);
    const begun = context.now();
    const since = await readSince(textIn(input, 'since') ?? String(begun), context);
    if (typeof since === 'string') return refuse(since);
    const where = [...read.where, ...since];
    const end = begun + numberIn(input, 'wait', 0) * 1000;
    let { rows } = await records.list({ where, limit: 100 });
    while (rows.length === 0 && context.now() < end) {
      await pause(lookMs);
      ({ rows } = await records.list({ where, limit: 100 }));
    }
    if (rows.length > 0 && context.now() < end) {
      await pause(lookMs); // several may arrive together
      ({ rows } = await records.list({ where, limit: 100 }));
    }
    const failed = rows.filter(hasFailed).length;
    const problems = await findProblems(records, where);
    // As data, the rows have their findings themselves.
    const lines =
      input['as'] === 'data' ? [] : fittingLines(problems.rows, numberIn(input, 'budget', 3000) / 2);
    const left = problems.rows.length - lines.length;
    return {
      head: [
        rows.length === 0 ? 'No request came.' : `${rows.length} requests, ${failed} failed`,
        ...(lines.length === 0 ? [] : ['Problems:', ...lines]),
        ...(lines.length === 0 || left === 0 ? [] : [`${left} further problems (tool problems)`]),
        ...(lines.length === 0 ? [] : ['Requests:']),
      ].join('\n'),
      rows: rows.map(requestRow),
      data: { requests: rows.length, failed },
    };
  },
};

/** Returns the first lines that fit into a number of bytes. */
function fittingLines(rows: readonly AnswerRow[], bytes: number): readonly string[] {
  let left = bytes;
  const end = rows.findIndex(({ line }) => (left -= bytesOf(line) + 1) < 0);
  return rows.slice(0, end === -1 ? maxWatched : Math.min(end, maxWatched)).map(({ line }) => line);
}

export const requestTools: readonly Tool[] = [
  problemsTool,
  showTool,
  findTool,
  compareTool,
  replayTool,
  watchTool,
];
