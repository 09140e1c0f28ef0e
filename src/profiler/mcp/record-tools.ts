import { type OptionNames, optionNames } from '#core/coded-error';
import {
  findingsOf,
  parseQuery,
  parseSort,
  type ProfileCondition,
  type Profiler,
  type ProfileSummary,
  readPage,
  type RecordReport,
  recordReports,
  replayRequest,
} from '#profiler';

/** The data and permissions of an MCP server. */
export interface McpOptions {
  readonly records: Pick<Profiler, 'find' | 'list' | 'totals' | 'news' | 'collected'>;
  /** Origin to which requests are replayed. Default: the one in the record, only if it is this machine. */
  readonly replayTo?: string | undefined;
  /** Whether requests that may change something may be replayed. Default false. */
  readonly write?: boolean | undefined;
}

export const mcpOptionNames: OptionNames<McpOptions> = optionNames('records replayTo write');

/** Input of a tool: every parameter is text. */
export type ToolInput = Readonly<Record<string, string | undefined>>;

/** Output of a tool: text, part of which may come from outside. */
export interface ToolText {
  readonly text: string;
  /** The same as data, for tools with a `list`. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** Cursor of the next page, if the tool itself divides its output. */
  readonly next?: string | null;
  readonly isError?: boolean;
}

export interface RecordTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly required?: readonly string[];
  /** Name of the list of rows in `data`. */
  readonly list?: string;
  /** Whether the tool sends a request to the application. */
  readonly acts?: boolean;
  readonly run: (input: ToolInput, options: McpOptions) => Promise<ToolText>;
}

/** Returns a problem as output, so that the assistant can correct itself. */
function refuseTool(text: string): ToolText {
  return { text, isError: true };
}

const pageRows = 20;
const maxPageRows = 100;
const maxUrlLength = 120;

const token = 'Token of a record (6 to 12 hexadecimal digits), as returned by find_requests.';
const language =
  'Parts separated by spaces, all of which must match: status:>=500 route:blog_* time:>200ms path:/api* method:POST after:10m has:error "text". Prefix a part with "-" to negate it.';

const requestTools: readonly RecordTool[] = [
  {
    name: 'find_requests',
    title: 'Find requests',
    description:
      'Recorded requests, newest first: token, time, status, method, URL, duration, route, error. Start here.',
    parameters: {
      query: language,
      sort: 'A number, largest first: duration, status, queries, calls; smallest first with "-" in front.',
      limit: `Number of requests, 1 to ${maxPageRows}; default ${pageRows}.`,
    },
    list: 'requests',
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
    run: ({ token: wanted = '', panel = 'overview,logs,db' }, { records }) =>
      readText(records, wanted, { format: 'md', panel }),
  },
  {
    name: 'compare_requests',
    title: 'Compare two requests',
    description:
      'How two records differ. Without "second": compared with the newest successful one of the same route.',
    parameters: { first: token, second: token },
    required: ['first'],
    run: ({ first = '', second = 'last-good' }, { records }) =>
      readText(records, first, { format: 'md', against: second }),
  },
  {
    name: 'replay_request',
    title: 'Replay a request',
    description:
      'Sends a recorded request to the application again, without its secrets, and returns the status and the new record’s token. Only GET, HEAD and OPTIONS, unless the server was started with --write.',
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
  const order = sort === undefined ? undefined : parseSort(sort, { collected: records.collected });
  if (sort !== undefined && order === undefined)
    return refuseTool('"sort" names a number, such as duration, status or queries.');
  const page = await records.list({
    where,
    limit,
    ...(order === undefined ? {} : { sort: order }),
    ...(before === undefined ? {} : { before }),
  });
  if (page.rows.length === 0 && before !== undefined)
    return refuseTool(
      `Nothing follows the cursor "${before.slice(0, 50)}": it is the last one, or none of this list.`,
    );
  const requests = page.rows.map(requestRow);
  const text = requests.map(lineOf).join('\n');
  return { text: text || 'No recorded request matches this query.', data: { requests }, next: page.next };
}

/** Parses a query; returns what is wrong with it as text. */
function readWhere(query: string, records: McpOptions['records']): readonly ProfileCondition[] | string {
  const { where, problems } = parseQuery(query, { collected: records.collected });
  const wrong = problems.map(({ from, to, words }) => `“${query.slice(from, to)}”: ${words}`);
  return problems.length > 0 ? wrong.join('\n') : where;
}

/** Returns what an assistant gets to know of a request in a list. */
function requestRow(row: ProfileSummary) {
  const { token, startedAt, status, state, method, url, durationMs, route, queryLocation } = row;
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
      row.errorClass === null
        ? null
        : {
            class: row.errorClass,
            location: row.errorLocation,
            message: clip(row.exception ?? '', maxUrlLength),
          },
    numbers: row.collected,
    queryLocation,
  };
}

function lineOf(row: ReturnType<typeof requestRow>): string {
  const { token, time, status, state, method, url, durationMs, route, error, queryLocation } = row;
  const facts = [
    `${token} ${time} ${status === 0 ? state : status} ${method} ${url}`,
    `${durationMs.toFixed(1)} ms route=${route ?? 'none'}`,
    ...(error === null ? [] : [`error=${error.class} at ${error.location ?? 'unknown'}: ${error.message}`]),
    ...(queryLocation === null ? [] : [`queries at ${queryLocation}`]),
  ];
  return facts.join(' ').replace(/\s+/g, ' ');
}

async function explainFailure({ token: given }: ToolInput, { records }: McpOptions): Promise<ToolText> {
  const wanted = given ?? (await records.list({ where: failed, limit: 1 })).rows[0]?.token;
  if (wanted === undefined) return { text: 'No request was answered with 500 or more.' };
  const found = await records.find(wanted);
  if (found.kind !== 'found') return readText(records, wanted, { format: 'json' });
  const { record } = found;
  const isMiss = (record.route?.name ?? null) === null;
  const hasCalls = findingsOf(record).some(({ target }) => target?.panel === 'http');
  const panels = ['exception', ...(isMiss ? ['routing'] : []), ...(hasCalls ? ['http'] : []), 'logs', 'db'];
  const { text } = await readPage(records, record.token, { format: 'md', panel: panels.join(',') });
  const near = record.route?.trace?.nearMisses ?? [];
  return { text: [...near.map(({ name, path }) => `- near route: ${name} ${path}`), text].join('\n') };
}

/** Returns a page as text, or what the profiler says where there is no such page. */
async function readText(...page: Parameters<typeof readPage>): Promise<ToolText> {
  const { status, text } = await readPage(...page);
  if (status === 200) return { text };
  const { title, detail } = JSON.parse(text) as Record<'title' | 'detail', string>; // our own problem document
  return refuseTool(`${title}. ${detail}`);
}

const failed: readonly ProfileCondition[] = [
  { columns: ['status'], test: { kind: 'numbers', ranges: [[500, null]] } },
];

function clip(text: string, maxLength: number): string {
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
      fresh === undefined ? 'The response names no record.' : `New record: ${fresh}`,
      ...(leftOut.length > 0
        ? [`Omitted, because the record does not contain it: ${leftOut.join(', ')}`]
        : []),
      '',
      body,
    ].join('\n'),
  };
}

const maxRows = 50;
const maxTextLength = 300;
const incomplete = 'A limit was reached: there may be more, and counts are lower bounds.';

const reportTools: readonly RecordTool[] = Object.values<RecordReport>(recordReports).map((report) => ({
  name: report.tool,
  title: report.title,
  description: report.description,
  parameters: { query: language, ...report.parameters },
  list: report.list,
  async run({ query = '', ...values }, { records }) {
    const where = readWhere(query, records);
    const found =
      typeof where === 'string' ? where : await report.read(records, { where, limit: maxRows, values });
    if (typeof found === 'string') return refuseTool(found);
    const { rows, complete, total } = found;
    const shown = rows.slice(0, maxRows).map(clipTexts);
    const cells = shown.map((row) => report.cells(row, { time: (at) => new Date(at).toISOString(), values }));
    const lines = [
      ...(total === undefined ? [] : [`${total} requests`]),
      ...[...cells.slice(0, 1).map(Object.keys), ...cells.map(Object.values<string>)].map((line) =>
        line.join(' | ').replace(/\s+/g, ' '),
      ),
      ...(complete ? [] : [incomplete]),
    ];
    return {
      data: { [report.list]: shown, complete, total },
      text: lines.length === 0 ? 'There is none.' : lines.join('\n'),
    };
  },
}));

function clipTexts(row: object): object {
  const fields = Object.entries(row).map(([name, value]: [string, unknown]) => [
    name,
    typeof value === 'string' ? clip(value, maxTextLength) : value,
  ]);
  return Object.fromEntries(fields) as object; // typed as any
}

export const recordTools: readonly RecordTool[] = [...requestTools, ...reportTools];
