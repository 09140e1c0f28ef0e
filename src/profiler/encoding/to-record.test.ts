import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dump, redactedMark } from '#core/dump';
import { type ProfileRecord, recordSchema } from '../model/profile-record.js';
import { type FactValue, requestFacts, responseFacts } from '../model/recorded-facts.js';
import { converter } from '../storage/writer/converter.js';
import { RecordEncoder } from './record-format.js';
import type { EncodedRecord, EncodedSent } from './encoded-record.js';
import { type FinishedRecord, toRecords } from './to-record.js';

/** Facts in encoding order. */
function factsOf(declared: object, values: Readonly<Record<string, FactValue>>): FactValue[] {
  return Object.keys(declared).map((name) => values[name.replace('?', '')]);
}
const asked = { httpVersion: '1.1', clientAddress: '10.0.0.1' };
const sentOf = (status: number, bodyBytes: number, completed = true): EncodedSent => ({
  facts: factsOf(responseFacts, { status, bodyBytes, completed }),
});

const raw: EncodedRecord = {
  id: 1,
  sequence: 2,
  origin: 'app',
  startedAt: 1000,
  end: 125_000,
  method: 'GET',
  target: '/a?b=1',
  baseUrl: 'http://a.test',
  peer: ['10.0.0.2', 7],
  facts: factsOf(requestFacts, asked),
  received: { names: 'Host\nX-One', values: ['b.test', '1'] },
  answered: 'HTTP/1.1 200 OK\r\nX-Two: 2\r\n\r\n',
  spans: [],
  sections: [],
};
const runtime = {
  memory: { rss: 1, heapUsed: 1, heapTotal: 1, external: 1 },
  eventLoop: { meanDelayMs: 0, maxDelayMs: 0, utilization: 0 },
};

/** Finishes an encoded record, sampled when the monotonic clock was at 5. */
function finished(changes: Partial<EncodedRecord> = {}, epoch = 0): FinishedRecord {
  const lines = new RecordEncoder();
  lines.add({ ...raw, ...changes });
  const limits = { requestBody: 10, responseBody: 10 };
  const source = converter.createSource(
    { settings: { redaction: {}, config: { node: 'v1' }, limits }, lasting: {} },
    { kinds: [], failed: (error) => assert.fail(String(error)) },
  );
  const [made, ...others] = toRecords({ data: lines.take(), sample: { runtime, at: 5, epoch } }, 0.5, source);
  assert.ok(made !== undefined && others.length === 0);
  return made;
}

const recordOf = (changes?: Partial<EncodedRecord>, epoch?: number): ProfileRecord =>
  finished(changes, epoch).record;
const text = (content: string, bytes = content.length) => ({
  content,
  isBytes: false,
  bytes,
  isUnread: false,
});

describe('a finished record', () => {
  it("has the request's facts, its time and how it was recorded", () => {
    const { request, ...record } = recordOf();
    assert.deepEqual(
      [record.schema, record.sequence, record.startedAt, record.durationMs, record.state, record.response],
      [recordSchema, 2, 1000, 12.5, 'unfinished', null],
    );
    const { url, path, scheme, host, peer, headers, query, visitor } = request;
    assert.deepEqual(
      [url, path, scheme, host, peer, query, visitor],
      [
        'http://a.test/a?b=1',
        '/a',
        'http',
        'b.test',
        { address: '10.0.0.2', port: 7 },
        [['b', '1']],
        undefined,
      ],
    );
    assert.deepEqual(headers, [
      ['Host', 'b.test'],
      ['X-One', '1'],
    ]);
    const { timeZone, locale } = Intl.DateTimeFormat().resolvedOptions();
    assert.deepEqual(record.config, { node: 'v1', 'time zone': timeZone, 'process locale': locale });
    assert.deepEqual([record.cost.recordMs, record.limits], [0.5, []]);
    assert.ok(record.cost.bytes > 100);
    assert.deepEqual(
      [record.route, record.controller, record.exception, record.logs],
      [null, null, null, []],
    );
  });

  it('says how the response ended, with its fields', () => {
    const sent = sentOf(201, 3);
    const { state, response } = recordOf({ sent });
    assert.deepEqual(
      [state, response?.status, response?.headers, response?.body],
      ['complete', 201, [['X-Two', '2']], null],
    );
    assert.equal(recordOf({ sent: sentOf(201, 3, false) }).state, 'aborted');
  });

  it('has the path for every target form', () => {
    const pathsOf = (target: string): readonly string[] => {
      const { path, url } = recordOf({ target }).request;
      return [path, url];
    };
    assert.deepEqual(pathsOf('/a#b?c'), ['/a', 'http://a.test/a#b?c']);
    assert.deepEqual(pathsOf('http://c.test/d?e'), ['/d', 'http://c.test/d?e']);
    assert.deepEqual(pathsOf('http://c.test'), ['/', 'http://c.test']);
    assert.deepEqual(pathsOf('/x://y/z'), ['/x://y/z', 'http://a.test/x://y/z']);
    assert.deepEqual(pathsOf('c.test:443'), ['c.test:443', 'c.test:443']);
    assert.deepEqual(pathsOf(''), ['', 'http://a.test']);
    assert.equal(
      recordOf({ baseUrl: 'https://a.test', received: { names: '', values: [] } }).request.host,
      'a.test',
    );
    assert.equal(recordOf({ baseUrl: 'https://a.test' }).request.scheme, 'https');
  });

  it('has at most 256 header fields with 16,384 characters each, and says how many there were', () => {
    const names = Array.from({ length: 257 }, (_, at) => `X-${at}`);
    const many = recordOf({ received: { names: names.join('\n'), values: names.map(() => 'v') } });
    assert.equal(many.request.headers.length, 256);
    assert.deepEqual(many.limits, [{ what: 'request headers', kept: 256, total: 257, limit: 256 }]);
    const whole = recordOf({
      received: { names: names.slice(1).join('\n'), values: names.slice(1).map(() => 'v') },
    });
    assert.deepEqual(whole.limits, []);
    const answered = `HTTP/1.1 200 OK\r\n${names.map((name) => `${name}: v\r\n`).join('')}\r\n`;
    const sent = sentOf(200, 0);
    assert.equal(recordOf({ answered, sent }).limits[0]?.what, 'response headers');
    const valueOf = (length: number): string | undefined =>
      recordOf({ received: { names: 'X', values: ['v '.repeat(length / 2)] } }).request.headers[0]?.[1];
    assert.equal(valueOf(16_384)?.length, 16_384);
    assert.match(valueOf(16_386) ?? '', /… \[cut\]$/);
  });

  it('has bodies within their limits, and says what was cut', () => {
    const sent = { ...sentOf(200, 30), body: text('x'.repeat(10), 30) };
    const { request, response, limits } = recordOf({ body: text('{"a":1}'), sent });
    assert.equal(request.body?.content, '{"a":1}');
    assert.equal(response?.body?.cut, true);
    assert.deepEqual(limits, [{ what: 'response body', kept: 10, total: 30, limit: 10 }]);
    const bytes = {
      content: Buffer.from([0xff, 0, 1]).toString('base64'),
      isBytes: true,
      bytes: 20,
      isUnread: false,
    };
    assert.equal(recordOf({ body: bytes }).limits[0]?.total, 20);
  });

  it("has the process sample's age, which is never negative", () => {
    assert.equal(recordOf({}, 900).runtime.sampledMsAgo, 108); // rounded
    assert.equal(recordOf({}, 2000).runtime.sampledMsAgo, 0);
  });

  it('has its log with the counts per level, including omitted lines', () => {
    const line = { channel: 'app', message: 'password=hunter22', offsetMs: 3, context: undefined };
    const lines = [
      { ...line, level: 1, context: [{ name: 'a', value: 1 }] },
      { ...line, level: 4 },
      { ...line, level: 4, context: dump(5) },
    ];
    const { logs, logTotals } = recordOf({ logs: { lines } });
    assert.deepEqual(
      logs.map(({ level, time, offsetMs, context }) => [level, time, offsetMs, context?.type]),
      [
        ['info', 1003, 3, 'object'],
        ['error', 1003, 3, undefined],
        ['error', 1003, 3, 'number'],
      ],
    );
    assert.doesNotMatch(JSON.stringify(logs), /hunter22/);
    assert.deepEqual(logTotals, { total: 3, byLevel: { info: 1, error: 2 }, omitted: 0, omittedAfter: 3 });
    const more = { omitted: 7, omittedAfter: 1, byLevel: [0, 8, 0, 3, 2, 0, 0, 0], nodeWarnings: 2 };
    assert.deepEqual(recordOf({ logs: { lines, more } }).logTotals, {
      total: 13,
      byLevel: { info: 8, warning: 3, error: 2 },
      omitted: 7,
      omittedAfter: 1,
      nodeWarnings: 2,
    });
    assert.deepEqual(recordOf().logTotals, { total: 0, byLevel: {}, omitted: 0, omittedAfter: 0 });
  });

  it('keeps custom sections unchanged, with their numbers and bars, and drops those of unknown collectors', () => {
    const entry = { name: 'own', startMs: 1, durationMs: 2, category: 'app' } as const;
    const sections = [
      { name: 'own', data: { a: 1 }, isCustom: true, numbers: { 'own.count': 3 }, timeline: [entry] },
      { name: '__proto__', data: { b: 1 }, isCustom: true },
      { name: 'no such collector', data: { c: 1 }, isCustom: false },
      { name: 'view', data: { renders: [], more: 0 }, isCustom: false },
    ];
    const { record, summary } = finished({ sections });
    assert.deepEqual(Object.keys(record.sections), ['own', '__proto__', 'view']);
    assert.deepEqual(record.timeline, [{ ...entry, section: 'own' }]);
    assert.deepEqual(summary.collected, { 'own.count': 3 });
  });

  it('has its trace in its row, and its caller', () => {
    assert.equal(
      finished({ facts: factsOf(requestFacts, { trace: 'f'.repeat(32) }) }).summary.trace,
      'f'.repeat(32),
    );
    assert.equal(finished().summary.trace, null);
    const { request } = recordOf({
      facts: factsOf(requestFacts, { user: 'ada', locale: 'de', rawHead: 'GET / password=hunter22' }),
    });
    assert.deepEqual([request.user, request.locale], ['ada', 'de']);
    assert.equal(request.rawHead, `GET / password=${redactedMark}`);
    assert.deepEqual(
      [recordOf().request.user, recordOf().request.locale, recordOf().request.rawHead],
      [null, null, undefined],
    );
  });
});

describe("a finished record's route", () => {
  const route = { name: 'home', path: '/{token}/{id}', parameters: [], isUntraced: false };

  it('says if its trace was not taken, and names the function that responded', () => {
    assert.deepEqual(recordOf({ route: { ...route, isUntraced: true } }).limits, [
      { what: 'routing trace', kept: 0, total: 1, limit: 0 },
    ]);
    assert.deepEqual(recordOf({ route }).limits, []);
    const controller = { name: 'show', file: '/a.ts', line: 3, arguments: [{ name: 'id', value: 5 }] };
    assert.deepEqual(recordOf({ controller }).controller, {
      ...controller,
      arguments: [{ name: 'id', value: dump(5) }],
    });
    assert.deepEqual(recordOf({ controller: { name: 'show', line: 0, arguments: [] } }).controller, {
      name: 'show',
      file: null,
      line: null,
      arguments: [],
    });
  });

  it('hides in parameters what the path hides, whatever their names, also in lists', () => {
    const value = 'aB3dE5gH7jK9mN1p';
    for (const [target, given] of [
      [`/reset/${value}`, value],
      [`/reset/1/${value}`, dump(['reset', '1', value])],
      [`/bot123456:${value}/send`, `123456:${value}`],
      [`/reset/${value}%3D%3D`, `${value}==`],
    ] as const) {
      const parameters = [{ name: 'rest', value: given }];
      const record = recordOf({
        target,
        route: { name: 'r', path: '/{rest}', parameters, isUntraced: false },
      });
      assert.ok(!JSON.stringify(record).includes(value), target);
      assert.match(JSON.stringify(record.route), /redacted/);
    }
  });

  it('hides text parameters with secret names, also in the path and the trace', () => {
    const trace = {
      method: 'GET',
      path: '/c4n4ry/5',
      host: 'a.test',
      outcome: 'matched',
      nearMisses: [],
      omitted: 0,
      rows: [{ name: 'x', path: '/', level: 'no', reason: 'not "c4n4ry"' }],
    } as unknown as NonNullable<NonNullable<ProfileRecord['route']>['trace']>; // the part that is read
    const parameters = [
      { name: 'token', value: 'c4n4ry' },
      { name: 'id', value: 'c4n4ry-not' },
      { name: 'password', value: 5 },
    ];
    const hidden = recordOf({ target: '/c4n4ry/5', route: { ...route, parameters, trace } });
    assert.deepEqual(
      hidden.route?.parameters.map(({ name, value }) => [name, value.type, value.text]),
      [
        ['token', dump(redactedMark).type, redactedMark],
        ['id', 'string', 'c4n4ry-not'],
        ['password', 'number', '5'],
      ],
    );
    assert.doesNotMatch(
      `${hidden.request.url} ${hidden.request.path} ${hidden.route?.trace?.path}`,
      /c4n4ry/,
    );
    assert.doesNotMatch(hidden.route?.trace?.rows[0]?.reason ?? 'c4n4ry', /c4n4ry/);
    const own = recordOf({ origin: 'profiler', target: '/c4n4ry/5', route: { ...route, parameters, trace } });
    assert.equal(own.route?.parameters[0]?.value.text, 'c4n4ry');
    assert.match(own.request.path, /c4n4ry/);
  });

  it('hides a short secret in a reason only within quotation marks', () => {
    const trace = {
      path: '/abc/5',
      rows: [{ reason: 'abc is no "abc" number' }],
    } as unknown as NonNullable<NonNullable<ProfileRecord['route']>['trace']>; // the part that is read
    const reasonOf = (value: string): string | undefined =>
      recordOf({ target: `/${value}/5`, route: { ...route, parameters: [{ name: 'token', value }], trace } })
        .route?.trace?.rows[0]?.reason;
    assert.equal(reasonOf('abc'), `abc is no "${redactedMark}" number`);
    const long = { path: '/abcd/5', rows: [{ reason: 'abcd is no number' }] } as unknown as typeof trace; // the part that is read
    assert.equal(
      recordOf({
        target: '/abcd/5',
        route: { ...route, parameters: [{ name: 'token', value: 'abcd' }], trace: long },
      }).route?.trace?.rows[0]?.reason,
      `${redactedMark} is no number`,
    );
  });
});
