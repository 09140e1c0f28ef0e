import { createRedactor, dump } from '#core/dump';
import { flattenError } from '#core/errors';
import { type ProfileRecord, type ProfileSummary, recordSchema } from '#profiler';
import { requestFactList, responseFactList } from '../../src/profiler/model/recorded-facts.js';
import { summaryOf as rowOf } from '../../src/profiler/model/profile-summary.js';
import { compileRoutes, createRoutes, explainMatch, type MatchTrace } from '#core/routing';

/** Some records as the recorder would create them: an ordinary one, a 404, a 500, a redirect, a running one. */
export async function sampleRecords(now: number): Promise<readonly ProfileRecord[]> {
  const [found, missed] = traces();
  const failure = await flattenError(
    new Error('The article “how-to-cook” could not be shown', {
      cause: new TypeError("Cannot read properties of undefined (reading 'title')"),
    }),
  );
  const ordinary = (index: number): ProfileRecord => sampleRecord(now, index, found);
  return [
    ordinary(0),
    withStatus({ ...ordinary(1), exception: failure }, 500),
    withStatus(
      {
        ...ordinary(2),
        request: {
          ...ordinary(2).request,
          path: '/blogg',
          target: '/blogg',
          url: 'http://127.0.0.1:8000/blogg',
        },
        route: { name: null, path: null, parameters: [], trace: missed, allow: [] },
        controller: null,
        exception: { ...failure, status: 404 },
      },
      404,
    ),
    withStatus({ ...ordinary(3), request: { ...ordinary(3).request, method: 'POST' } }, 302),
    { ...ordinary(4), response: null, state: 'unfinished', route: null, controller: null },
    { ...ordinary(5), durationMs: 1_840 },
    ...Array.from({ length: 20 }, (_, index) => ordinary(index + 6)),
  ];
}

/** A record's row in the list of an application with a database. */
export function summaryOf(record: ProfileRecord): ProfileSummary {
  return rowOf(record, { 'db.queries': 5, 'db.durationMs': 5.3 });
}

function traces(): readonly [MatchTrace, MatchTrace] {
  const routes = createRoutes();
  for (const [name, path, method] of [
    ['home', '/', 'GET'],
    ['blog_list', '/blog/{page<\\d+>?1}', 'GET'],
    ['blog_comment', '/blog/{slug}/comments', 'POST'],
    ['blog_show', '/blog/{slug}', 'GET'],
  ] as const)
    routes.add({ name, path, methods: [method] });
  const compiled = compileRoutes(routes);
  return [
    explainMatch(compiled, { method: 'GET', path: '/blog/how-to-cook' }),
    explainMatch(compiled, { method: 'GET', path: '/blogg' }),
  ];
}

function withStatus(record: ProfileRecord, status: number): ProfileRecord {
  return record.response === null ? record : { ...record, response: { ...record.response, status } };
}

function sampleRecord(now: number, index: number, trace: MatchTrace): ProfileRecord {
  const startedAt = now - index * index * 1_700;
  const durationMs = 3.4 + index * 7.77;
  return {
    schema: recordSchema,
    token: (0xabc000 + index * 7_919).toString(16),
    sequence: 1_000 - index,
    origin: 'app',
    startedAt,
    durationMs,
    state: 'complete',
    request: sampleRequest(index),
    response: sampleResponse(),
    route: {
      name: 'blog_show',
      path: '/blog/{slug}',
      parameters: [{ name: 'slug', value: dump('how-to-cook') }],
      trace,
      allow: [],
    },
    controller: {
      name: 'BlogController.show',
      file: '/srv/app/src/blog-controller.ts',
      line: 12,
      arguments: [{ name: 'slug', value: dump('how-to-cook') }],
    },
    events: sampleEvents(),
    logs: sampleLogs(startedAt),
    logTotals: { total: 9, byLevel: { debug: 7, warning: 1, error: 1 }, omitted: 6, omittedAfter: 1 },
    exception: null,
    timeline: sampleTimeline(durationMs),
    runtime: {
      memory: { rss: 91e6, heapUsed: 31e6, heapTotal: 48e6, external: 4e6 },
      eventLoop: { meanDelayMs: 0.2, maxDelayMs: 4.1, utilization: 0.13 },
      sampledMsAgo: 312,
    },
    config: { environment: 'dev', debug: true, node: 'v20.20.2', lookback: '0.1.0' },
    sections: {
      mail: { sent: 1, transport: 'memory', messages: [{ to: 'ada@example.org', subject: 'Welcome' }] },
      security: sampleSecurity(),
      translation: {
        messages: [
          { key: 'cart.title', locale: 'de', used: '', state: 'missing', count: 2 },
          { key: 'home.title', locale: 'de', used: 'en', state: 'fallback', count: 1 },
          { key: 'blog.title', locale: 'de', used: 'de', state: 'defined', count: 4 },
        ],
        more: 0,
      },
      db: sampleQueries(startedAt),
    },
    limits: [{ what: 'logs', kept: 3, total: 9, limit: 3 }],
    cost: { recordMs: 0.4, bytes: 9_120 },
  };
}

function sampleRequest(index: number): ProfileRecord['request'] {
  const agent =
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/147 Safari/537.36';
  return {
    ...requestFactList.fieldsOf([], createRedactor()), // including those that are declared later
    method: 'GET',
    url: `http://127.0.0.1:8000/blog/how-to-cook?page=${index}`,
    target: `/blog/how-to-cook?page=${index}`,
    path: '/blog/how-to-cook',
    httpVersion: '1.1',
    scheme: 'http',
    host: '127.0.0.1:8000',
    clientAddress: '127.0.0.1',
    peer: { address: '127.0.0.1', port: 50_312 },
    headers: [
      ['Host', '127.0.0.1:8000'],
      ['User-Agent', agent],
      ['Accept', 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'],
      ['Cookie', '[redacted]'],
    ],
    cookies: [['session', '[redacted]']],
    query: [['page', String(index)]],
    body: {
      encoding: 'text',
      content: '{"title":"Soup"}',
      contentType: 'application/json',
      bytes: 16,
      cut: false,
    },
    parsed: { format: 'json', value: dump({ title: 'Soup', steps: ['cut', 'boil'] }) },
    locale: 'en',
    user: 'ada',
  };
}

function sampleResponse(): NonNullable<ProfileRecord['response']> {
  return {
    ...responseFactList.fieldsOf([], createRedactor()),
    status: 200,
    headers: [
      ['Content-Type', 'text/html; charset=utf-8'],
      ['X-Debug-Token', 'abc000'],
      ['X-Robots-Tag', 'noindex'],
      ['Set-Cookie', 'seen=[redacted]; Path=/; HttpOnly'],
    ],
    cookies: [
      {
        name: 'seen',
        value: '[redacted]',
        attributes: [
          ['Path', '/'],
          ['HttpOnly', ''],
        ],
      },
    ],
    bodyBytes: 10_432,
    body: {
      encoding: 'text',
      content: '<!doctype html>\n<title>How to cook</title>\n<h1>How to cook</h1>\n',
      contentType: 'text/html; charset=utf-8',
      bytes: 10_432,
      cut: true,
    },
    completed: true,
  };
}

function sampleEvents(): ProfileRecord['events'] {
  const listener = (
    name: string,
    priority: number,
    startMs: number,
  ): ProfileRecord['events'][0]['listeners'][0] => ({
    name,
    priority,
    startMs,
    durationMs: 0.12,
    stopped: false,
    failed: false,
  });
  return [
    {
      event: 'request',
      startMs: 0.1,
      durationMs: 1.1,
      listeners: [listener('validate', 256, 0.1), listener('router', 32, 0.4), listener('firewall', 8, 0.9)],
    },
    { event: 'controller', startMs: 1.2, durationMs: 0, listeners: [] },
    { event: 'response', startMs: 2.5, durationMs: 0.2, listeners: [listener('robots', -255, 2.5)] },
  ];
}

function sampleLogs(startedAt: number): ProfileRecord['logs'] {
  return [
    {
      time: startedAt + 1,
      offsetMs: 0.61,
      level: 'debug',
      channel: 'kernel',
      message: 'Matched route "blog_show".',
      context: dump({ route: 'blog_show', parameters: { slug: 'how-to-cook' } }),
    },
    {
      time: startedAt + 2,
      offsetMs: 1.93,
      level: 'warning',
      channel: 'app',
      message: 'The cache has no entry for this article.\nIt is read from the database.',
    },
    {
      time: startedAt + 3,
      offsetMs: 2.2,
      level: 'error',
      channel: 'app',
      message: 'A part of the page failed. '.repeat(30),
      context: dump(new Error('part')),
    },
  ];
}

function sampleTimeline(durationMs: number): ProfileRecord['timeline'] {
  const span = (
    name: string,
    category: string,
    startMs: number,
    length: number,
  ): ProfileRecord['timeline'][0] => ({
    name,
    category,
    startMs,
    durationMs: length,
  });
  return [
    span('request', 'stage', 0, 1.2),
    span('router', 'listener', 0.4, 0.5),
    span('firewall', 'listener', 0.9, 0.2),
    span('BlogController.show', 'controller', 1.3, durationMs * 0.5),
    span('response', 'stage', 1.4 + durationMs * 0.5, 0.3),
  ];
}

function sampleQueries(startedAt: number): unknown {
  const callSite = [{ name: 'authorsOf', file: '/srv/app/src/blog-controller.ts', line: 31, column: 7 }];
  const query = (index: number): unknown => ({
    sql: 'select "a".* from "author" as "a" where "a"."id" = ? limit ?',
    params: [{ name: 'id', value: dump(index) }],
    startedAt: startedAt + 2 + index,
    durationMs: 0.8,
    rows: 1,
    connection: 'default',
    error: null,
    callSite,
  });
  const failed = {
    sql: 'insert into "visit" ("path") values (?)',
    params: [],
    startedAt: startedAt + 9,
    durationMs: 2.1,
    rows: null,
    connection: 'default',
    error: 'no such table: visit',
    callSite: [],
  };
  return {
    queries: [query(0), query(1), query(2), query(3), failed],
    groups: [
      {
        kind: 'n+1',
        sql: 'select "a".* from "author" as "a" where "a"."id" = ? limit ?',
        count: 4,
        durationMs: 3.2,
        callSite: callSite[0],
        queries: [0, 1, 2, 3],
      },
    ],
    changes: [{ action: 'update', entity: 'Author', id: '3', values: dump({ name: 'Ada' }) }],
    totals: {
      queries: 5,
      failed: 1,
      durationMs: 5.3,
      flushes: 1,
      flushMs: 1.2,
      commits: 1,
      rollbacks: 0,
      created: 0,
      updated: 1,
      removed: 0,
    },
  };
}

function sampleSecurity(): unknown {
  const attempt = {
    authenticator: 'form_login',
    status: 'success',
    detail: '',
    durationMs: 31.2,
    badges: ['csrf token: met'],
  };
  return {
    firewall: {
      name: 'main',
      isSecured: true,
      isStateless: false,
      provider: 'users',
      entryPoint: 'form_login',
      authenticators: ['form_login', 'remember_me'],
      attempts: [attempt],
    },
    user: {
      identifier: 'ada',
      roles: ['ROLE_EDITOR'],
      authenticator: 'form_login',
      strength: 'full',
      impersonator: '',
    },
    decisions: [
      {
        granted: false,
        attribute: 'edit',
        subject: 'Article',
        strategy: 'affirmative',
        votes: [
          { voter: 'roles', verdict: 'abstain', reason: '' },
          { voter: 'owner', verdict: 'deny', reason: 'not the author' },
        ],
      },
    ],
    uses: [
      {
        operation: 'read',
        key: 'cart',
        count: 2,
        name: 'showCart',
        file: '/srv/app/src/cart.ts',
        line: 3,
        column: 1,
      },
    ],
    more: 0,
  };
}
