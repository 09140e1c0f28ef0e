import { isLogLevel, logLevels } from '#core/log';
import { type RecordReport, recordReports } from '../reports/record-reports.js';
import { explainTool } from './explain-tool.js';
import { routesTool } from './routes-tool.js';
import { clip } from './rows.js';
import {
  type Answer,
  asParameter,
  type KnownApplication,
  limitParameter,
  numberIn,
  orNull,
  searchParameter,
  readQuery,
  refuse,
  textIn,
  type Tool,
  type ToolContext,
  type ToolInput,
} from './tool.js';

const incomplete = 'A limit was reached: there may be more, and counts are lower bounds.';
const time = (at: number): string => new Date(at).toISOString().slice(0, 19);

/** Runs a report and converts its rows to lines. */
async function askReport(
  name: 'count' | 'logs',
  values: Readonly<Record<string, string | undefined>>,
  {
    input,
    context,
    limit,
  }: { readonly input: ToolInput; readonly context: ToolContext; readonly limit: number },
): Promise<Answer> {
  const report: RecordReport = recordReports[name];
  const read = readQuery(textIn(input, 'query') ?? '', context.records, context.now());
  if (typeof read === 'string') return refuse(read);
  const found = await report.read(context.records, { where: read.where, limit, values });
  if (typeof found === 'string') return refuse(found);
  const { rows, complete, total } = found;
  const cellsOf = (row: object): Readonly<Record<string, string>> => report.cells(row, { time, values });
  const words = read.words === '' ? '' : `Read as: ${read.words}. `;
  return {
    head:
      rows.length === 0
        ? `${words}There is none.`
        : `${words}${total === undefined ? `${rows.length} lines` : `${total} requests`}`,
    rows: rows.slice(0, limit).map((row) => ({
      line: Object.values(cellsOf(row)).join(' | ').replace(/\s+/g, ' '),
      data: Object.fromEntries(
        Object.entries(row).map(([key, value]: [string, unknown]) => [
          key,
          typeof value === 'string' ? clip(value, 300) : value,
        ]),
      ),
    })),
    ...(complete ? {} : { foot: incomplete }),
    data: { complete, ...(total === undefined ? {} : { total }) },
  };
}

const logsTool: Tool = {
  name: 'logs',
  description: 'Log lines of the requests that match, newest first, with their tokens.',
  parameters: {
    query: searchParameter,
    text: { type: 'string', maxLength: 300, description: 'Part of the message or channel' },
    level: { type: 'string', enum: [...logLevels], description: 'Lowest level' },
    limit: limitParameter(20),
    as: asParameter,
  },
  row: {
    token: { type: 'string' },
    time: { type: 'number' },
    level: { type: 'string' },
    channel: { type: 'string' },
    message: { type: 'string' },
  },
  fields: { complete: { type: 'boolean' } },
  run(input, context) {
    const level = textIn(input, 'level');
    const values = {
      ...(textIn(input, 'text') === undefined ? {} : { text: textIn(input, 'text') }),
      ...(level !== undefined && isLogLevel(level) ? { level } : {}),
    };
    return askReport('logs', values, { input, context, limit: numberIn(input, 'limit', 20) });
  },
};

const countTool: Tool = {
  name: 'count',
  description: 'Counts requests, together or by a column, largest first.',
  parameters: {
    query: searchParameter,
    by: {
      type: 'string',
      enum: ['route', 'status', 'method', 'user', 'class', 'location', 'state', 'instance', 'version'],
      description: 'Column',
    },
    as: asParameter,
  },
  row: {
    value: orNull,
    count: { type: 'integer' },
    failed: { type: 'integer' },
  },
  fields: { complete: { type: 'boolean' }, total: { type: 'integer' } },
  run(input, context) {
    const by = textIn(input, 'by');
    return askReport('count', by === undefined ? {} : { by }, { input, context, limit: 100 });
  },
};

const applicationsTool: Tool = {
  name: 'applications',
  description:
    'Applications on this machine that have records, the default first. Pass their names as "app".',
  parameters: { as: asParameter },
  isGlobal: true,
  row: {
    name: { type: 'string' },
    store: { type: 'string' },
    isChosen: { type: 'boolean' },
    records: orNull,
    lastAt: orNull,
    url: orNull,
    process: orNull,
    isRunning: orNull,
    problem: orNull,
  },
  async run(_input, { source, now }) {
    const all = await source.applications();
    const age = ({ lastAt, problem }: KnownApplication): string => {
      if (problem !== null) return `cannot be read: ${problem}`;
      return lastAt === null
        ? 'no record yet'
        : `last ${Math.max(0, Math.round((now() - lastAt) / 1000))} s ago`;
    };
    return {
      head:
        all.length === 0
          ? 'No application on this machine has records. Start one with lookback, and send it a request.'
          : `${all.length} applications`,
      rows: all.map((one) => ({
        line: [
          one.isChosen ? '*' : '-',
          one.name,
          one.url ?? '',
          one.process === null
            ? ''
            : `${one.process}${one.isRunning === null ? '' : one.isRunning ? ' running' : ' stopped'}`,
          one.records === null ? '' : `${one.records} records`,
          age(one),
          one.store,
        ]
          .filter((part) => part !== '')
          .join(' '),
        data: { ...one },
      })),
    };
  },
};

const doctorTool: Tool = {
  name: 'doctor',
  description: 'What is recorded, in which store, and what keeps records from arriving, with the fix.',
  parameters: {},
  isGlobal: true,
  async run(_input, { source }) {
    const found = await source.diagnose();
    return {
      head: found
        .map(({ topic, text, isProblem }) => `${isProblem ? '!' : 'ok'} ${topic}: ${text}`)
        .join('\n'),
    };
  },
};

export const reportTools: readonly Tool[] = [
  logsTool,
  countTool,
  explainTool,
  routesTool,
  applicationsTool,
  doctorTool,
];
