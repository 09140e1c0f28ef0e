import type { ProfileRecord, ProfileSummary } from '#profiler';
import { recordSchema } from '#profiler';

const started = Date.UTC(2026, 0, 2, 3, 4, 5, 678);

/** A complete record of `GET /articles/42?page=2` for tests of pages; `changes` replaces top-level parts. */
export function sampleRecord(changes: Partial<ProfileRecord> = {}): ProfileRecord {
  return {
    schema: recordSchema,
    token: 'a1b2c3',
    sequence: 7,
    bucket: 'app',
    startedAt: started,
    durationMs: 12.345,
    state: 'complete',
    request: {
      method: 'GET',
      url: 'http://127.0.0.1:8000/articles/42?page=2&token=[redacted]',
      target: '/articles/42?page=2&token=[redacted]',
      path: '/articles/42',
      httpVersion: '1.1',
      scheme: 'http',
      host: '127.0.0.1:8000',
      clientAddress: '127.0.0.1',
      peer: { address: '127.0.0.1', port: 51234 },
      headers: [
        ['Host', '127.0.0.1:8000'],
        ['Accept', 'text/html'],
        ['Cookie', 'sid=[redacted]'],
      ],
      cookies: [['sid', '[redacted]']],
      query: [
        ['page', '2'],
        ['token', '[redacted]'],
      ],
      body: null,
      parsed: null,
      locale: 'en',
      user: 'ada@example.org',
    },
    response: {
      status: 200,
      headers: [
        ['Content-Type', 'text/html; charset=utf-8'],
        ['X-Debug-Token', 'a1b2c3'],
        ['Set-Cookie', 'theme=[redacted]; Path=/; HttpOnly'],
      ],
      cookies: [
        {
          name: 'theme',
          value: '[redacted]',
          attributes: [
            ['Path', '/'],
            ['HttpOnly', ''],
          ],
        },
      ],
      bodyBytes: 17,
      body: {
        encoding: 'text',
        content: '<h1>Article</h1>\n',
        contentType: 'text/html; charset=utf-8',
        bytes: 17,
        cut: false,
      },
      completed: true,
    },
    route: {
      name: 'article_show',
      path: '/articles/{id}',
      parameters: [{ name: 'id', value: { type: 'string', text: '42' } }],
      trace: {
        method: 'GET',
        path: '/articles/42',
        host: '127.0.0.1',
        scheme: 'http',
        outcome: 'match',
        rows: [
          { name: 'home', path: '/', level: 'no', reason: 'path does not match' },
          { name: 'article_show', path: '/articles/{id}', level: 'match', reason: 'matches' },
        ],
        omitted: 0,
        nearMisses: [],
      },
      allow: [],
    },
    controller: {
      name: 'ArticleController.show',
      file: null,
      line: null,
      arguments: [{ name: 'id', value: { type: 'number', text: '42' } }],
    },
    events: [
      {
        event: 'request',
        startMs: 0.1,
        durationMs: 1.2,
        listeners: [
          { name: 'router', priority: 32, startMs: 0.2, durationMs: 0.4, stopped: false, failed: false },
          { name: 'firewall', priority: 8, startMs: 0.7, durationMs: 0.5, stopped: false, failed: false },
        ],
      },
      { event: 'response', startMs: 10, durationMs: 0.3, listeners: [] },
    ],
    logs: [
      {
        time: started + 3,
        offsetMs: 3,
        level: 'warning',
        channel: 'app',
        message: 'Article is old',
        context: {
          type: 'object',
          text: 'Object',
          entries: [{ key: 'id', kind: 'property', value: { type: 'number', text: '42' } }],
        },
      },
    ],
    exception: null,
    timeline: [
      { name: 'request', category: 'stage', startMs: 0.1, durationMs: 1.2 },
      { name: 'router', category: 'listener', startMs: 0.2, durationMs: 0.4 },
      { name: 'ArticleController.show', category: 'controller', startMs: 2, durationMs: 7.5 },
    ],
    runtime: {
      memory: { rss: 90_000_000, heapUsed: 30_000_000, heapTotal: 45_000_000, external: 2_000_000 },
      eventLoop: { meanDelayMs: 0.4, maxDelayMs: 3.1, utilization: 0.12 },
      sampledMsAgo: 210,
    },
    config: { env: 'dev', debug: true, node: 'v20.20.2', lookback: '0.1.0' },
    sections: {},
    limits: [],
    cost: { recordMs: 0.006, bytes: 812 },
    ...changes,
  };
}

/** A list row; `changes` replaces parts. */
export function sampleSummary(changes: Partial<ProfileSummary> = {}): ProfileSummary {
  return {
    token: 'a1b2c3',
    sequence: 7,
    bucket: 'app',
    parent: null,
    startedAt: started,
    durationMs: 12.345,
    state: 'complete',
    method: 'GET',
    url: 'http://127.0.0.1:8000/articles/42?page=2',
    path: '/articles/42',
    status: 200,
    clientAddress: '127.0.0.1',
    route: 'article_show',
    exception: null,
    warnings: 1,
    logs: 1,
    user: null,
    ...changes,
  };
}
