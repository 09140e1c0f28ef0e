import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { body, posted } from '../../../../test/profiler/plain-record.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import { renderHar } from './render-har.js';

const { request } = posted;
const recordOf = (changes: Partial<ProfileRecord>): ProfileRecord => ({ ...posted, ...changes });

interface HarPart {
  readonly status?: number;
  readonly bodySize?: number;
  readonly postData?: object;
  readonly redirectURL?: string;
  readonly content?: object;
  readonly cookies?: readonly object[];
}

describe('records as an archive', () => {
  it('begin in 1970 if their time is impossible, as in a damaged file', () => {
    const har = renderHar([recordOf({ startedAt: -1e300 })]);
    assert.match(har, /"startedDateTime":"1970-01-01T00:00:00.000Z"/);
  });

  it("contain the available body, and the request's outcome", () => {
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
