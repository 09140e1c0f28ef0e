import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ProfileRecord } from '../model/profile-record.js';
import type { RecordedBody, RecordedRequest } from '../model/profile-record.js';
import { renderHar } from './render-har.js';

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

interface HarPart {
  readonly status?: number;
  readonly bodySize?: number;
  readonly postData?: object;
  readonly redirectURL?: string;
  readonly content?: object;
  readonly cookies?: readonly object[];
}

describe('records as an archive', () => {
  it('say what of a body is there, and what became of the request', () => {
    const records = [
      recordOf({ request: { ...request, body: { ...body, cut: true, encoding: 'base64' } } }),
      recordOf({ response: null, state: 'unfinished' }),
      recordOf({
        state: 'aborted',
        response: {
          status: 302,
          headers: [['LOCATION', '/next']],
          cookies: [{ name: 'a', value: 'b', attributes: [] }],
          bodyBytes: 9,
          body: { ...body, encoding: 'base64', cut: true },
          completed: false,
        },
      }),
    ];
    const { log } = JSON.parse(renderHar(records)) as {
      log: { entries: { request: HarPart; response: HarPart; comment: string }[] };
    }; // HAR 1.2
    const [first, second, third] = log.entries;
    assert.deepEqual(first?.request.postData, {
      mimeType: 'text/plain',
      text: 'text',
      params: [],
      comment: 'base64, cut',
    });
    assert.deepEqual(
      [second?.comment, second?.response.status, second?.response.bodySize],
      ['Record abc123, unfinished', 0, -1],
    );
    assert.equal(third?.comment, 'Record abc123, aborted');
    const { redirectURL, content, cookies } = third?.response ?? {};
    assert.equal(redirectURL, '/next');
    assert.deepEqual(content, {
      size: 9,
      mimeType: 'text/plain',
      text: 'text',
      encoding: 'base64',
      comment: 'cut',
    });
    assert.deepEqual(cookies, [{ name: 'a', value: 'b' }]);
  });
});
