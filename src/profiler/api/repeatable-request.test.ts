import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { redactedMark } from '#dump';
import type { ProfileRecord } from '../model/profile-record.js';
import type { RecordedBody, RecordedRequest } from '../model/recorded-message.js';
import { type RepeatableRequest, repeatableRequest, toFetchRequest } from './repeatable-request.js';

const request: RecordedRequest = {
  method: 'POST',
  url: 'http://a.test/x',
  target: '/x',
  path: '/x',
  httpVersion: '1.1',
  scheme: 'http',
  host: 'a.test',
  clientAddress: '127.0.0.1',
  peer: { address: '127.0.0.1', port: 1 },
  headers: [['Host', 'a.test']],
  cookies: [],
  query: [],
  body: null,
  parsed: null,
  locale: null,
  user: null,
};

const body: RecordedBody = {
  encoding: 'text',
  content: 'text',
  contentType: 'text/plain',
  bytes: 4,
  cut: false,
};

function recordOf(changes: Partial<ProfileRecord>): ProfileRecord {
  const record: Partial<ProfileRecord> = {
    token: 'abc123',
    startedAt: 0,
    durationMs: 12,
    state: 'complete',
    request,
    response: { status: 200, headers: [], cookies: [], bodyBytes: 4, body, completed: true },
    sections: {},
    logs: [],
    logTotals: { total: 0, byLevel: {}, omitted: 0, omittedAfter: 0 },
    timeline: [],
    limits: [],
    exception: null,
    route: null,
    events: [],
    ...changes,
  };
  return record as ProfileRecord; // nothing else of it is looked at
}

describe('what of a request can be sent again', () => {
  const of = (changes: Partial<RecordedRequest>): RepeatableRequest =>
    repeatableRequest(recordOf({ request: { ...request, ...changes } }));

  it('is all but what belongs to the connection', () => {
    const headers = [
      ['Host', 'a.test'],
      ['CONNECTION', 'close'],
      [':path', '/'],
      ['Content-Length', '4'],
      ['Accept', '*/*'],
      ['X-A', '1'],
      ['X-A', '2'],
    ] as const;
    const found = of({ headers, body });
    assert.deepEqual(found.headers, headers.slice(4));
    assert.deepEqual(
      [found.body, found.missing, found.isWhole],
      [{ encoding: 'text', content: 'text' }, [], true],
    );
  });

  it('names what the record does not hold; without it, it would mean something else', () => {
    const secret = of({
      headers: [
        ['Cookie', `a=${redactedMark}`],
        ['Cookie', redactedMark],
      ],
    });
    assert.deepEqual([secret.missing, secret.headers, secret.isWhole], [['Cookie'], [], true]);
    for (const [changes, words] of [
      [{ url: `http://a.test/?t=${redactedMark}` }, /secret in the URL/],
      [{ url: `http://a.test/?t=${encodeURIComponent(redactedMark)}` }, /secret in the URL/],
      [{ headers: [['Content-Length', '9']] }, /which was not recorded/],
      [{ body: { ...body, cut: true } }, /recorded in part/],
      [{ body: { ...body, content: `a=${redactedMark}` } }, /secrets in the body/],
    ] as const) {
      const found = of(changes);
      assert.equal(found.isWhole, false);
      assert.match(found.missing.join(), words);
    }
    assert.equal(of({ headers: [['Content-Length', '0']] }).isWhole, true);
  });

  it('is sent by fetch to where it is asked to, without a body where none may be', async () => {
    const { signal } = new AbortController();
    const sent = toFetchRequest(
      of({ body: { ...body, encoding: 'base64', content: 'AAH/' } }),
      'http://b.test/y',
      signal,
    );
    assert.deepEqual([sent.url, sent.method, sent.redirect], ['http://b.test/y', 'POST', 'manual']);
    assert.deepEqual(Buffer.from(await sent.arrayBuffer()), Buffer.from([0, 1, 255]));
    assert.equal(toFetchRequest(of({ method: 'GET', body }), 'http://b.test/', signal).body, null);
  });
});
