import type { ProfileCondition, ProfileSummary } from '#profiler';
import { findingsOf, parseQuery, readPage, replayRequest } from '#profiler';
import {
  type McpOptions,
  type RecordTool,
  refuseTool,
  type ToolInput,
  type ToolText,
  listOutput,
} from './record-tool.js';

const pageRows = 20;
const maxPageRows = 100;
const maxUrlLength = 120;

const token = 'Token of a record (6 to 12 hexadecimal digits), as returned by find_requests.';
export const language =
  'Parts separated by spaces, all of which must match: status:>=500 route:blog_* time:>200ms path:/api* method:POST after:10m has:error "text". Prefix a part with "-" to negate it.';

/** Tools that read requests. */
export const requestTools: readonly RecordTool[] = [
  {
    name: 'find_requests',
    title: 'Find requests',
    description:
      'Recorded requests, newest first: token, time, status, method, URL, duration, route, error. Start here.',
    parameters: {
      query: language,
      sort: 'Numeric column, largest first: durationMs, status, db.queries, http.calls.',
      limit: `Number of requests, 1 to ${maxPageRows}; default ${pageRows}.`,
    },
    output: listOutput('requests'),
    run: findRequests,
  },
  {
    name: 'explain_failure',
    title: 'Explain a failure',
    description:
      'Why a request failed: findings, the exception with its source, routes that nearly matched, calls to other services, the log and the queries. Without a token: the newest failure.',
    parameters: { token },
    run: explainFailure,
  },
  {
    name: 'show_request',
    title: 'Show a request',
    description:
      'A request, whether it failed or not: status, times, findings and the named panels. For its queries: panel "db".',
    parameters: {
      token,
      panel:
        'Comma-separated: overview, request, exception, logs, db, http, cache, time, security, routing, view, events. Default overview,logs,db.',
    },
    required: ['token'],
    run: showRequest,
  },
  {
    name: 'compare_requests',
    title: 'Compare two requests',
    description:
      'How two records differ. Without "second": compared with the newest successful one of the same route.',
    parameters: { first: token, second: token },
    required: ['first'],
    run: compareRequests,
  },
  {
    name: 'replay_request',
    title: 'Replay a request',
    description:
      'Sends a recorded request to the application again, without its secrets, and returns the status and the new record’s token. Only GET and HEAD, unless the server was started with --write.',
    parameters: { token: 'Token of a record.' },
    required: ['token'],
    acts: true,
    run: replay,
  },
];

async function findRequests(
  { query = '', sort, limit: wanted, cursor: before }: ToolInput,
  { records }: McpOptions,
): Promise<ToolText> {
  const where = readWhere(query, records);
  if (typeof where === 'string') return refuseTool(where);
  const limit = wanted === undefined ? pageRows : Number(wanted);
  if (!Number.isInteger(limit) || limit < 1 || limit > maxPageRows)
    return refuseTool(`"limit" is a whole number from 1 to ${maxPageRows}.`);
  const page = await records.list({
    where,
    limit,
    ...(sort === undefined ? {} : { sort: { column: sort, isAscending: false } }),
    ...(before === undefined ? {} : { before }),
  });
  if (page.rows.length === 0 && before !== undefined)
    return refuseTool(
      `Nothing follows the cursor "${before.slice(0, 50)}": it is the last one, or none of this list.`,
    );
  const lines = page.rows.map(lineOf);
  return {
    text: lines.length === 0 ? 'No recorded request matches this query.' : lines.join('\n'),
    data: { requests: page.rows.map(requestRow) },
    next: page.next,
  };
}

/** Parses a query; returns what is wrong with it as text. */
export function readWhere(
  query: string,
  records: McpOptions['records'],
): readonly ProfileCondition[] | string {
  const { where, problems } = parseQuery(query, { collected: records.collected });
  return problems.length > 0 ? problems.map(({ words }) => words).join('\n') : where;
}

function requestRow(row: ProfileSummary): Readonly<Record<string, unknown>> {
  const {
    token,
    startedAt,
    status,
    state,
    method,
    url,
    durationMs,
    route,
    errorClass,
    errorPlace,
    exception,
    queryPlace,
  } = row;
  return {
    token,
    time: new Date(startedAt).toISOString(),
    status,
    state,
    method,
    url: clip(url, maxUrlLength),
    durationMs,
    route,
    error:
      errorClass === null
        ? null
        : { class: errorClass, place: errorPlace, message: clip(exception ?? '', maxUrlLength) },
    numbers: row.collected,
    queryPlace,
  };
}

function lineOf(row: ProfileSummary): string {
  const facts = [
    row.token,
    new Date(row.startedAt).toISOString(),
    row.status === 0 ? row.state : String(row.status),
    row.method,
    clip(row.url, maxUrlLength),
    `${row.durationMs.toFixed(1)} ms`,
    `route=${row.route ?? 'none'}`,
    ...(row.errorClass === null
      ? []
      : [
          `error=${row.errorClass} at ${row.errorPlace ?? 'unknown'}: ${clip(row.exception ?? '', maxUrlLength)}`,
        ]),
    ...(row.queryPlace === null ? [] : [`queries at ${row.queryPlace}`]),
  ];
  return facts.join(' ').replace(/\s+/g, ' ');
}

async function explainFailure({ token: given }: ToolInput, { records }: McpOptions): Promise<ToolText> {
  const wanted = given ?? (await records.list({ where: failed, limit: 1 })).rows[0]?.token;
  if (wanted === undefined) return { text: 'No request was answered with 500 or more.' };
  const found = await records.find(wanted);
  if (found.kind !== 'found') return refuseTool((await readPage(records, wanted, { format: 'json' })).text);
  const { record } = found;
  const isMiss = (record.route?.name ?? null) === null;
  const hasCalls = findingsOf(record).some(({ target }) => target?.panel === 'http');
  const panels = ['exception', ...(isMiss ? ['routing'] : []), ...(hasCalls ? ['http'] : []), 'logs', 'db'];
  const { text } = await readPage(records, record.token, { format: 'md', panel: panels.join(',') });
  const near = record.route?.trace?.nearMisses ?? [];
  return { text: [...near.map(({ name, path }) => `- near route: ${name} ${path}`), text].join('\n') };
}

async function showRequest(
  { token: wanted = '', panel = 'overview,logs,db' }: ToolInput,
  { records }: McpOptions,
): Promise<ToolText> {
  const { status, text } = await readPage(records, wanted, { format: 'md', panel });
  return status === 200 ? { text } : refuseTool(text);
}

const failed: readonly ProfileCondition[] = [
  { columns: ['status'], test: { kind: 'numbers', ranges: [[500, null]] } },
];

async function compareRequests(
  { first = '', second = 'last-good' }: ToolInput,
  { records }: McpOptions,
): Promise<ToolText> {
  const { status, text } = await readPage(records, first, { format: 'md', against: second });
  if (status === 200) return { text };
  const isThere = (await records.find(first)).kind === 'found';
  return refuseTool(
    !isThere
      ? `There is no record ${first}.`
      : second === 'last-good'
        ? `The route of ${first} has no successful request: name the record to compare it with.`
        : `There is no record ${second}.`,
  );
}

export function clip(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}

async function replay(
  { token = '' }: ToolInput,
  { records, replayTo, write }: McpOptions,
): Promise<ToolText> {
  const found = await records.find(token);
  if (found.kind !== 'found') return refuseTool(`There is no record ${token}.`);
  const answer = await replayRequest(found.record, { to: replayTo, mayWrite: write });
  if (typeof answer === 'string') return refuseTool(`It was not sent: ${answer}.`);
  const { status, token: fresh, body, leftOut } = answer;
  return {
    text: [
      `Status ${status} (it was ${found.record.response?.status ?? 'none'}).`,
      fresh === undefined ? 'The answer names no record.' : `New record: ${fresh}`,
      ...(leftOut.length > 0
        ? [`Omitted, because the record does not contain it: ${leftOut.join(', ')}`]
        : []),
      '',
      body,
    ].join('\n'),
  };
}
