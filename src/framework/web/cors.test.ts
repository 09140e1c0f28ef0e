import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createDispatcher } from '#core/events';
import { HttpRequest, HttpResponse } from '#core/http';
import { responseEvent } from '#framework/kernel';
import { cors } from './cors.js';

/** Returns a function that says, given a list of origins, whether an origin's pages may read responses. */
function createTest(origins: readonly string[]): (origin: string) => boolean {
  const dispatcher = createDispatcher();
  for (const listener of cors({ origins }).listeners ?? []) listener.addTo(dispatcher);
  return (origin) => {
    const request = new HttpRequest({
      method: 'GET',
      target: '/',
      rawHeaders: ['Host', 'localhost', 'Origin', origin],
      httpVersion: '1.1',
      peer: { address: '127.0.0.1', port: 1, encrypted: false },
    });
    const response = HttpResponse.empty();
    void dispatcher.dispatch(responseEvent, { request, response });
    return response.headers.get('access-control-allow-origin') === origin;
  };
}

describe('cors', () => {
  it('compares whole origins, and whole labels for a star', () => {
    const isAllowed = createTest([
      'https://a.example',
      'http://localhost:5173',
      'https://*.b.example',
      'null',
    ]);
    for (const origin of [
      'https://a.example',
      'http://localhost:5173',
      'https://x.b.example',
      'https://x.y.b.example',
      'null',
    ])
      assert.equal(isAllowed(origin), true, origin);
    for (const origin of [
      'http://a.example',
      'https://a.example:8443',
      'https://a.example.evil',
      'https://evil.a.example',
      'https://b.example',
      'https://evilb.example',
      'https://.b.example',
      'https://evil.test/.b.example',
      'https://evil.test#.b.example',
      'https://evil@x.b.example',
      'https://x.b.example.evil',
      '',
    ])
      assert.equal(isAllowed(origin), false, origin);
  });

  it('accepts listed extension origins', () => {
    const isAllowed = createTest(['chrome-extension://abcdef']);
    assert.equal(isAllowed('chrome-extension://abcdef'), true);
    assert.equal(isAllowed('chrome-extension://other'), false);
  });

  it('refuses impossible origins, and credentials for every origin', () => {
    for (const origin of [
      'a.example',
      'https://a.example/',
      'https://a.example/path',
      'https://A.example',
      'https://*',
      '*',
      'https://a.*.example',
      'data:text/html',
      'chrome-extension://a?b',
      'chrome-extension://a#b',
      'chrome-extension://a b',
    ])
      assert.throws(() => cors({ origins: [origin] }), { code: 'WEB_CORS_ORIGIN' }, origin);
    assert.throws(() => cors({ credentials: true }), { code: 'WEB_CORS_CREDENTIALS' });
  });
});
