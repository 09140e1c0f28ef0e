import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HttpRequest, type HttpResponse } from '#core/http';
import { createPathMatcher, timerMilliseconds } from './web-extension.js';
import { isCodedError } from '#core/coded-error';
import { etag } from './etag.js';
import { eventStream, type EventStreamOptions } from './event-stream.js';
import { health } from './health.js';
import { webSocket } from './web-socket.js';

function request(target = '/', headers: Record<string, string> = {}, address = '203.0.113.7'): HttpRequest {
  return new HttpRequest({
    method: 'GET',
    target,
    rawHeaders: Object.entries({ Host: 'example.org', ...headers }).flat(),
    httpVersion: '1.1',
    peer: { address, port: 1, encrypted: false },
  });
}

describe('extension paths', () => {
  it('include everything below them, and nothing else', () => {
    const isMeant = createPathMatcher(['/api', '/files/']);
    for (const path of ['/api', '/api/', '/api/x/y', '/files', '/files/a', '/api?x=1'])
      assert.equal(isMeant(request(path)), true, path);
    for (const path of ['/', '/apis', '/x/api', '/file', '/files2'])
      assert.equal(isMeant(request(path)), false, path);
    assert.equal(createPathMatcher(['/'])(request('/anything')), true);
    assert.equal(createPathMatcher(undefined)(request('/anything')), true);
    assert.equal(createPathMatcher([])(request('/anything')), false);
  });

  it('are a list: a single path is refused', () => {
    for (const paths of ['/api', '', null, { 0: '/api' }])
      assert.throws(() => etag({ paths } as never), hasCode('OPTIONS_BAD_VALUE')); // possible from JavaScript
  });

  it('are compared decoded, like routes', () => {
    assert.equal(createPathMatcher(['/api'])(request('/%61pi/x')), true);
  });
});

function hasCode(code: string): (error: unknown) => boolean {
  return (error) => isCodedError(error) && error.code === code;
}

describe('durations given as options', () => {
  it('never become timers that fire at once', () => {
    for (const given of [Number.POSITIVE_INFINITY, 2_147_483_648, Number.MAX_VALUE])
      assert.equal(timerMilliseconds(given), 2_147_483_647);
    assert.equal(timerMilliseconds(50), 50);
  });

  it('are refused if invalid', () => {
    for (const bad of [0, -1, Number.NaN, Number.NEGATIVE_INFINITY]) {
      const isRefused = hasCode('OPTIONS_BAD_VALUE');
      const source = async function* (): AsyncGenerator<string> {
        yield 'x';
      };
      const stream = (options: EventStreamOptions): HttpResponse => eventStream(request(), source, options);
      assert.throws(() => stream({ heartbeatSeconds: bad }), isRefused);
      assert.throws(() => stream({ retryMilliseconds: bad }), isRefused);
      assert.throws(() => webSocket(() => undefined, { idleSeconds: bad }), isRefused);
      assert.throws(() => health({ timeout: bad }), isRefused);
    }
  });

  it('without heartbeats keep a stream quiet', async () => {
    let go = (): void => undefined;
    const waiting = new Promise<void>((resolve) => (go = resolve));
    const source = async function* (): AsyncGenerator<string> {
      await waiting;
      yield 'late';
    };
    const { body } = eventStream(request(), source, { heartbeatSeconds: Number.POSITIVE_INFINITY });
    const lines = (body as AsyncIterable<string>)[Symbol.asyncIterator](); // an event stream's body
    assert.equal((await lines.next()).value, ':\n\n');
    const next = lines.next();
    const first = await Promise.race([next, new Promise((resolve) => setImmediate(resolve, 'quiet'))]);
    assert.equal(first, 'quiet');
    go();
    assert.equal((await next).value, 'data: late\n\n');
    assert.equal((await lines.next()).done, true);
  });
});
