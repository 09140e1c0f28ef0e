import { isLoopbackHost } from '#core/http';
import { formatMilliseconds } from '../../model/formatting.js';
import { findHeader, type ProfileRecord } from '../../model/profile-record.js';
import { findSection } from '../../sections/define-section.js';
import type { DbSection } from '../../sections/database/queries.js';
import { findSelect, planOf, type QueryPlan } from '../record/query-plan.js';
import { clip } from './rows.js';
import {
  type Answer,
  asParameter,
  refuse,
  textIn,
  type Tool,
  type ToolContext,
  type ToolInput,
} from './tool.js';

const askMs = 10_000;
const maxSql = 400;

export const explainTool: Tool = {
  name: 'explain_query',
  description:
    'The plan of a recorded SELECT, and the index it lacks. The running application asks its database, which does not run it.',
  parameters: {
    token: { type: 'string', maxLength: 40, description: 'Token, or "latest"' },
    row: {
      type: 'integer',
      minimum: 1,
      maximum: 9999,
      description: 'Number in part db; default: the slowest',
    },
    as: asParameter,
  },
  required: ['token'],
  fields: {
    row: { type: 'integer' },
    sql: { type: 'string' },
    plan: { type: 'string' },
    label: { type: 'string' },
    remark: { type: ['string', 'null'] },
  },
  async run(input, context) {
    const token = textIn(input, 'token') ?? '';
    const found = await context.records.find(token);
    if (found.kind !== 'found') return refuse(`There is no record ${clip(token, 20)}.`);
    return explainRow(found.record, input, context);
  },
};

async function explainRow(record: ProfileRecord, input: ToolInput, context: ToolContext): Promise<Answer> {
  const row = input['row'];
  const { queries = [] } = findSection<DbSection>(record, 'db', ['queries']) ?? {};
  if (queries.length === 0) return refuse(`Record ${record.token} has no queries.`);
  const index = typeof row === 'number' ? row - 1 : slowestSelect(record, queries);
  const query = queries[index];
  if (query === undefined)
    return refuse(
      typeof row === 'number'
        ? `Record ${record.token} has ${queries.length} queries.`
        : `No query of record ${record.token} is a SELECT that the record has in full.`,
    );
  const select = findSelect(record, index);
  if (select === undefined)
    return refuse(
      `Query ${index + 1} is not a SELECT that was recorded completely: only those can be explained.`,
    );
  const plan = context.explainer?.knows(select.connection)
    ? await planOf(context.explainer, select)
    : await askApplication(record, index, context.replayTo);
  if (typeof plan === 'string') return refuse(`There is no plan: ${plan}.`);
  if (plan.failure !== null) return refuse(`There is no plan: ${plan.failure}`);
  if (input['as'] === 'data') {
    const { text, label, remark } = plan;
    return { data: { row: index + 1, sql: query.sql, plan: text, label, remark } };
  }
  return {
    head: [
      `query ${index + 1} of ${queries.length}, ${formatMilliseconds(query.durationMs)}: ${clip(query.sql.replace(/\s+/g, ' ').trim(), maxSql)}`,
      ...(plan.remark === null ? [] : [plan.remark]),
      `${plan.label}:`,
      plan.text,
    ].join('\n'),
  };
}

/** Returns the index of the slowest query that can be explained; -1 if there is none. */
function slowestSelect(record: ProfileRecord, queries: DbSection['queries']): number {
  const [slowest] = queries
    .map(({ durationMs }, index) => ({ durationMs, index }))
    .toSorted((one, other) => other.durationMs - one.durationMs)
    .filter(({ index }) => findSelect(record, index) !== undefined);
  return slowest?.index ?? -1;
}

/**
 * Asks the application that handled the request, on this machine or at `to`, because only it is connected to its
 * database. Returns a text, as the end of a sentence, if it provides no plan.
 */
async function askApplication(
  { request, response, token }: ProfileRecord,
  index: number,
  to?: string,
): Promise<QueryPlan | string> {
  const origin = to ?? `${request.scheme}://${request.host}`;
  if (!URL.canParse(origin)) return 'the record names no address of its application';
  const link = findHeader(response?.headers ?? [], 'x-debug-token-link') ?? '';
  const linked = URL.canParse(link, origin) ? new URL(link, origin).pathname : '';
  const url = new URL(origin);
  if (to === undefined && !isLoopbackHost(url.hostname))
    return `the record names the host ${url.hostname}, which is not this machine: ask on the page of the record`;
  url.pathname = `${linked.endsWith(`/${token}`) ? linked : `/_profiler/${token}`}/explain`;
  url.search = '';
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { Origin: url.origin, Accept: 'application/json' },
      body: new URLSearchParams({ query: String(index), format: 'json' }),
      signal: AbortSignal.timeout(askMs),
      redirect: 'manual',
    });
    const text = (await answer.text()).slice(0, 100_000);
    if (answer.headers.get('content-type')?.includes('json') !== true)
      return `${url.origin} answered ${answer.status}, and no plan: its profiler may be off, or another program listens there`;
    return readAnswer(JSON.parse(text), answer.status);
  } catch (error) {
    const { message, cause } = error instanceof Error ? error : new Error('unknown failure');
    return `the application cannot be reached at ${url.origin}: ${(cause instanceof Error && cause.message) || message}`;
  }
}

function readAnswer(body: unknown, status: number): QueryPlan | string {
  if (typeof body !== 'object' || body === null) return `the application answered ${status}`;
  const value = (name: string): unknown => (name in body ? body[name as keyof typeof body] : undefined); // the name exists
  const text = (name: string): string | null => {
    const found = value(name);
    return typeof found === 'string' ? found : null;
  };
  if (status !== 200) return (text('detail') ?? `the application answered ${status}`).replace(/\.$/, '');
  return {
    label: text('label') ?? 'Plan',
    text: text('text') ?? '',
    remark: text('remark'),
    failure: text('failure'),
  };
}
