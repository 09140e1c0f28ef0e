import { createRedactor, dump } from '#core/dump';
import { renderBlocksMarkdown } from '../../src/profiler/web/reports/render-blocks-markdown.js';
import { findFindings } from '../../src/profiler/sections/find-findings.js';
import type { DbQuery } from '../../src/profiler/sections/database/queries.js';
import { type ProfileRecord, recordSchema } from '../../src/profiler/model/profile-record.js';
import { requestFactList, responseFactList } from '../../src/profiler/model/recorded-facts.js';
import type { RecordedBody } from '../../src/profiler/model/profile-record.js';
import type { Block } from '../../src/profiler/view/block.js';
import type { Panel, PanelContext } from '../../src/profiler/sections/panel.js';

export const body: RecordedBody = {
  encoding: 'text',
  content: 'text',
  contentType: 'text/plain',
  bytes: 4,
  cut: false,
};

const noFacts = responseFactList.fieldsOf([], createRedactor());

export const plain: ProfileRecord = {
  schema: recordSchema,
  token: 'abcdef',
  sequence: 1,
  origin: 'app',
  startedAt: 1000,
  durationMs: 200,
  state: 'complete',
  request: {
    ...requestFactList.fieldsOf([], createRedactor()), // including those that are declared later
    method: 'GET',
    url: 'http://a.test/',
    target: '/',
    path: '/',
    httpVersion: '1.1',
    scheme: 'http',
    host: 'a.test',
    clientAddress: '127.0.0.1',
    peer: { address: '127.0.0.1', port: 1 },
    headers: [],
    cookies: [],
    query: [],
    body: null,
    parsed: null,
    locale: null,
    user: null,
  },
  response: { ...noFacts, status: 200, headers: [], cookies: [], bodyBytes: 10, body: null, completed: true },
  route: null,
  controller: null,
  events: [],
  logs: [],
  logTotals: { total: 0, byLevel: {}, omitted: 0, omittedAfter: 0 },
  exception: null,
  timeline: [],
  runtime: {
    memory: { rss: 1, heapUsed: 1, heapTotal: 1, external: 1 },
    eventLoop: { meanDelayMs: 0, maxDelayMs: 0, utilization: 0 },
    sampledMsAgo: 0,
  },
  config: { node: 'v20' },
  sections: {},
  limits: [],
  cost: { recordMs: 0.5, bytes: 2048 },
};

/** A record of a POST whose response has a body. */
export const posted: ProfileRecord = {
  ...plain,
  token: 'abc123',
  startedAt: 0,
  durationMs: 12,
  request: {
    ...plain.request,
    method: 'POST',
    url: 'http://a.test/x',
    target: '/x',
    path: '/x',
    headers: [['Host', 'a.test']],
  },
  response: { ...noFacts, status: 200, headers: [], cookies: [], bodyBytes: 4, body, completed: true },
};

export function contextWith(
  query: Readonly<Record<string, string>> = {},
  more: Partial<PanelContext> = {},
): PanelContext {
  return {
    link: (panel, given = {}) => `?panel=${panel}&${JSON.stringify(given)}`,
    linkTo: ({ panel, anchor = '' }) => `?panel=${panel}#${anchor}`,
    recordLink: (token) => `/r/${token}`,
    query: (name) => query[name] ?? '',
    editor: () => undefined,
    related: [],
    ...more,
  };
}

/** A record with its findings, as completed by the writer. */
export const completed = (record: ProfileRecord): ProfileRecord => ({
  ...record,
  findings: findFindings(record),
});

export const shown = (
  panel: Panel,
  changes: Partial<ProfileRecord>,
  query?: Readonly<Record<string, string>>,
): readonly Block[] => panel.show(completed({ ...plain, ...changes }), contextWith(query));

export const textOf = (
  panel: Panel,
  changes: Partial<ProfileRecord>,
  query?: Readonly<Record<string, string>>,
): string => renderBlocksMarkdown(shown(panel, changes, query), 2);

export const badgeOf = (panel: Panel, changes: Partial<ProfileRecord>): unknown =>
  panel.badge({ ...plain, ...changes });

export const query = (changes: Partial<DbQuery> = {}): DbQuery => ({
  sql: 'select * from a where id = ?',
  params: [{ name: 'id', value: dump(1) }],
  startedAt: 1010,
  durationMs: 2,
  rows: 1,
  connection: 'main',
  error: null,
  callSite: [],
  ...changes,
});
