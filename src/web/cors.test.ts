import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { HttpRequest } from '#http';
import { cors, createOriginTest } from './cors.js';

const any = {} as HttpRequest; // no list looks at it

describe('createOriginTest', () => {
  it('compares origins whole, and whole labels for a star', () => {
    const isAllowed = createOriginTest([
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
      assert.equal(isAllowed(origin, any), true, origin);
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
      assert.equal(isAllowed(origin, any), false, origin);
  });

  it('origins of extensions can be listed', () => {
    const isAllowed = createOriginTest(['chrome-extension://abcdef']);
    assert.equal(isAllowed('chrome-extension://abcdef', any), true);
    assert.equal(isAllowed('chrome-extension://other', any), false);
  });

  it('refuses what can never be an origin, and credentials for every origin', () => {
    for (const origin of [
      'a.example',
      'https://a.example/',
      'https://a.example/path',
      'https://A.example',
      'https://*',
      '*',
      'https://a.*.example',
    ])
      assert.throws(() => cors({ origins: [origin] }), { code: 'WEB_CORS_ORIGIN' }, origin);
    assert.throws(() => cors({ credentials: true }), { code: 'WEB_CORS_CREDENTIALS' });
  });
});
