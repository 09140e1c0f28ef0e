import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { flattenError } from '#core/errors';
import { plain } from '../../../../test/profiler/plain-record.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import { findFindings } from '../find-findings.js';
import { answerOf } from '../findings-of.js';

const request = { ...plain.request, method: 'GET', path: '/nope' };
const missed = { name: null, path: null, parameters: [], trace: null, allow: [] };

/** Returns a slow request's summary, with a status below 500. */
function headlineOf(changes: Partial<ProfileRecord>): string {
  const timeline = [{ name: 'own', category: 'controller', startMs: 0, durationMs: 390 }];
  const record: ProfileRecord = { ...plain, request, durationMs: 400, timeline, ...changes };
  return answerOf({ ...record, findings: findFindings(record) }).text;
}

function answered(status: number, content: string, contentType: string): Partial<ProfileRecord> {
  assert.ok(plain.response !== null);
  const body = { encoding: 'text', content, contentType, bytes: content.length, cut: false } as const;
  return { response: { ...plain.response, status, bodyBytes: content.length, body } };
}

function thrown(status: number, name: string, message: string): Partial<ProfileRecord> {
  const error = Object.assign(new Error(message), { name });
  return { ...answered(status, '', 'text/plain'), exception: { ...flattenError(error, {}), status } };
}

describe("a refused request's summary", () => {
  it("comes from the body: its data, or a page's heading or text", () => {
    for (const [type, content, said] of [
      ['application/json', '{\n "reason": "insufficient_funds" }', '{ "reason": "insufficient_funds" }'],
      ['text/plain', 'No such product.\n', 'No such product.'],
      [
        'text/html',
        '<html><head><title>Error</title></head><body><pre>Cannot GET &#39;/x&#39;</pre></body>',
        "Cannot GET '/x'",
      ],
      ['text/html', '<body><nav>Home</nav><h1 class="a">Sold <b>out</b></h1>', 'Sold out'],
      ['text/html', `<title>Gone</title><body>${'long '.repeat(100)}`, 'Gone'],
    ] as const)
      assert.equal(headlineOf(answered(402, content, type)), `Answered 402: ${said}`);
    assert.match(headlineOf(answered(400, 'x'.repeat(5000), 'text/plain')), /^Answered 400: x{100,160}…$/);
  });

  it('is the missing route, even if the router threw', () => {
    const sentence = 'No route matches GET /nope';
    assert.equal(headlineOf({ ...answered(404, 'Nothing', 'text/plain'), route: missed }), sentence);
    const miss = thrown(404, 'NotFoundError', 'No route found for "GET http://a/nope"');
    assert.equal(headlineOf({ ...miss, route: missed }), sentence);
    const wrong = thrown(405, 'MethodNotAllowedError', 'No route found for "GET http://a/nope": Method …');
    assert.equal(
      headlineOf({ ...wrong, route: { ...missed, allow: ['POST', 'PUT'] } }),
      '/nope does not accept GET, only POST, PUT',
    );
    const own = thrown(404, 'NotFoundError', 'Article 7 does not exist');
    assert.match(headlineOf({ ...own, route: missed }), /^NotFoundError: Article 7 does not exist/);
  });

  it('is the access rule and the user', () => {
    const decision = { attribute: 'ROLE_ADMIN', subject: '', strategy: 'affirmative', votes: [] };
    const security = {
      firewall: null,
      user: { identifier: 'anna', roles: [], authenticator: 'form', strength: 'full', impersonator: '' },
      decisions: [{ ...decision, granted: false, by: 'access rule /admin' }],
      uses: [],
      more: 0,
    };
    const denied = thrown(403, 'AccessDeniedError', 'Access Denied.');
    const rule = 'Access rule /admin refused anna: ROLE_ADMIN is required';
    assert.equal(headlineOf({ ...denied, sections: { security } }), rule);
    const anonymous = headlineOf({ ...denied, sections: { security: { ...security, user: null } } });
    assert.equal(anonymous, 'Access rule /admin refused an anonymous visitor: ROLE_ADMIN is required');
    // For another error, the decision need not be the reason.
    const other = thrown(403, 'ForbiddenError', 'A foreign origin');
    assert.match(headlineOf({ ...other, sections: { security } }), /^ForbiddenError: A foreign origin/);
  });

  it('is the logged line if the body is empty, and the status if nothing was said', () => {
    const logs = [{ time: 1, offsetMs: 1, level: 'warning', channel: 'app', message: 'wrong\npassword' }];
    const logTotals = { total: 1, byLevel: { warning: 1 }, omitted: 0, omittedAfter: 0 };
    const empty = answered(401, '', 'text/plain');
    assert.equal(headlineOf({ ...empty, logs, logTotals }), 'Answered 401; logged: wrong password');
    assert.equal(headlineOf(empty), 'Answered 401 with an empty body');
    const error = { ...logTotals, byLevel: { error: 1 } };
    const lines = logs.map((line) => ({ ...line, level: 'error' }));
    assert.equal(headlineOf({ ...empty, logs: lines, logTotals: error }), '1 error was logged: wrong');
  });

  it('does not apply to a response that was cut off, or that refuses nothing', () => {
    assert.doesNotMatch(headlineOf({ ...answered(404, 'No', 'text/plain'), state: 'aborted' }), /Answered/);
    assert.doesNotMatch(headlineOf(answered(302, 'No', 'text/plain')), /Answered/);
  });
});
