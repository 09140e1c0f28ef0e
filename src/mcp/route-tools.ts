import { replayRequest } from '#profiler';
import type { MatchTrace } from '#routing';
import { compileRoutes, decodePath, explainMatch } from '#routing';
import {
  type McpOptions,
  type RecordTool,
  refuseTool,
  type ToolInput,
  type ToolText,
} from './record-tool.js';

/** Tools about routes, and the one that sends a request. */
export const routeTools: readonly RecordTool[] = [
  {
    name: 'list_routes',
    title: 'List routes',
    description:
      'The routes of the application: name, methods, path. Without the application: the routes found in records.',
    parameters: {},
    run: listRoutes,
  },
  {
    name: 'explain_route',
    title: 'Explain a route',
    description: 'Which route matches a path, why the others do not, and which paths look alike.',
    parameters: {
      path: 'Path, without query: /blog/how-to-cook',
      method: 'Default GET.',
      host: 'Default localhost.',
    },
    required: ['path'],
    run: explainRoute,
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

async function listRoutes(_input: ToolInput, { routes, records }: McpOptions): Promise<ToolText> {
  if (routes === undefined) {
    const { groups } = await records.totals({ groupBy: ['route'] });
    const lines = groups.map(
      ({ values: [name], count }) => `${String(name ?? '(no route)')}: ${count} requests`,
    );
    return { text: ['Known only from records:', ...lines].join('\n') };
  }
  const lines = routes.all().map(({ name, methods, path }) => {
    const taken = methods === undefined || methods.length === 0 ? 'ANY' : methods.join('|');
    return `${name} ${taken} ${path}`;
  });
  return { text: lines.join('\n') };
}

async function explainRoute(
  { path = '/', method = 'GET', host }: ToolInput,
  { routes, records }: McpOptions,
): Promise<ToolText> {
  if (routes !== undefined) {
    const context = { method: method.toUpperCase(), path: decodePath(path.replace(/[?#].*$/s, '')) };
    return renderTrace(
      explainMatch(compileRoutes(routes), host === undefined ? context : { ...context, host }),
    );
  }
  const { rows } = await records.list({
    where: [
      { columns: ['path'], test: { kind: 'is', texts: [path] } },
      { columns: ['method'], test: { kind: 'is', texts: [method] } },
    ],
    limit: 1,
  });
  const [row] = rows;
  const found = row === undefined ? undefined : await records.find(row.token);
  const trace = found?.kind === 'found' ? found.record.route?.trace : undefined;
  return trace === undefined || trace === null
    ? refuseTool(`No record of ${method} ${path} has a trace, and no application was passed (--app).`)
    : renderTrace(trace);
}

function renderTrace(trace: MatchTrace): ToolText {
  return {
    text: [
      `${trace.method} ${trace.path}: ${trace.outcome}`,
      ...trace.nearMisses.map(({ name, path }) => `looks alike: ${path} (${name})`),
      ...trace.rows.map(({ name, path, level, reason }) => `${level}: ${name} ${path} ${reason}`),
      ...(trace.omitted > 0 ? [`${trace.omitted} more routes are left out.`] : []),
    ].join('\n'),
  };
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
