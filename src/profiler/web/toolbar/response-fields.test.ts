import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HttpRequest, type RequestSource } from '#core/http';
import { type OutgoingRedirect, recordFields } from './response-fields.js';

function requestOf(
  headers: Readonly<Record<string, string>> = {},
  changes: Partial<RequestSource> = {},
): HttpRequest {
  return new HttpRequest({
    method: 'GET',
    target: '/_profiler/',
    rawHeaders: ['Host', 'a.test', ...Object.entries(headers).flat()],
    httpVersion: '1.1',
    peer: { address: '127.0.0.1', port: 1, encrypted: false },
    ...changes,
  });
}

function fieldsOf(request: HttpRequest, redirect: OutgoingRedirect): ReturnType<typeof recordFields> {
  const recording = { token: 'abcdef', startedAt: performance.now() };
  return recordFields(request, redirect, { recording, link: 'http://a.test/_profiler/abcdef' });
}

interface Joined {
  readonly previous: string | undefined;
  readonly cookies: readonly string[];
}

function joined(request: HttpRequest, redirect: OutgoingRedirect): Joined {
  const fields = fieldsOf(request, redirect);
  return {
    previous: new Map(fields).get('X-Previous-Debug-Token'),
    cookies: fields.filter(([name]) => name === 'Set-Cookie').map(([, value]) => value),
  };
}

describe('a redirect and its target page', () => {
  const page = { 'sec-fetch-dest': 'document', 'sec-fetch-mode': 'navigate', accept: 'text/html' };
  const join = (target: string, status: number, location: string | undefined, cookie?: string): Joined =>
    joined(requestOf(cookie === undefined ? page : { ...page, cookie }, { target }), { status, location });

  it('are joined by a cookie for that URL only, which is removed there', () => {
    const { cookies, previous } = join('/login', 303, '/home?x=1');
    assert.equal(previous, undefined);
    assert.match(cookies[0] ?? '', /^lookback_previous=[^;]+; .*Path=\/home(?:;|$)/);
    const [pair = ''] = (cookies[0] ?? '').split(';');
    const arrived = join('/home?x=1', 200, undefined, pair);
    assert.equal(arrived.previous, 'abcdef');
    assert.match(arrived.cookies[0] ?? '', /Max-Age=0/);
    assert.deepEqual(join('/home?x=2', 200, undefined, pair), { previous: undefined, cookies: [] });
    const further = join('/home?x=1', 302, '/next', pair);
    assert.deepEqual([further.previous, further.cookies.length], ['abcdef', 2]);
  });

  it('are not joined if the target is foreign, missing, or cannot be named in a cookie', () => {
    for (const location of [
      'http://b.test/',
      '//b.test/x',
      'javascript:alert(1)',
      '/a;b',
      '/a,b',
      `/${'x'.repeat(1100)}`,
      'http://[',
      undefined,
    ])
      assert.deepEqual(join('/login', 302, location).cookies, [], location);
    assert.deepEqual(join('/login', 200, '/home').cookies, []);
    const call = joined(requestOf({ accept: 'application/json', 'sec-fetch-dest': 'empty' }), {
      status: 302,
      location: '/x',
    });
    assert.deepEqual(call.cookies, []);
  });

  it('reject forged cookies', () => {
    for (const value of ['', 'abcdef', 'NOTHEX./home', '<b>./home', 'abcdef./other', '..', 'abcdef.'])
      assert.equal(
        join('/home', 200, undefined, `lookback_previous=${encodeURIComponent(value)}`).previous,
        undefined,
        value,
      );
  });

  it('give scripts the token and the time', () => {
    assert.match(
      new Map(fieldsOf(requestOf(), { status: 200, location: undefined })).get('Server-Timing') ?? '',
      /^lookback;dur=\d+\.\d;desc="abcdef"$/,
    );
  });
});
