import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { type App, createApp, HttpResponse } from 'lookback';
import { createLocale } from 'lookback/locale';
import { createMemoryUserProvider, createSecurity, httpBasic } from 'lookback/security';
import { compression, cors, etag, health, rateLimit, staticFiles } from 'lookback/web';

/** The order of the built-in listeners as seen by clients: each case is answered by the listener that runs first. */
describe('the order of the built-in listeners', () => {
  let app: App;
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'lookback-order-'));
    writeFileSync(join(folder, 'private.txt'), 'private');
    app = createApp({
      configuration: { env: 'test', debug: false, profilerStore: 'off', trustedHosts: ['shop.example'] },
      logHandlers: [],
      locale: createLocale({ enabled: ['en', 'fr'] }),
      security: createSecurity({
        secret: 's'.repeat(32),
        provider: createMemoryUserProvider([]),
        firewalls: [{ name: 'main', stateless: true, authenticators: [httpBasic()] }],
        accessControl: [{ path: '/private', allow: 'IS_AUTHENTICATED' }],
      }),
      extensions: [
        health(),
        cors({ origins: ['https://other.example'] }),
        rateLimit({ limit: 1, window: 60, paths: ['/private/few'] }),
        staticFiles(folder, { path: '/private' }),
        compression(),
        etag(),
      ],
    });
    app.get('/{_locale<en|fr>}/page', () => HttpResponse.text('page '.repeat(1000)));
    app.get('/private/page', () => 'private');
  });
  after(async () => {
    await app.close();
    rmSync(folder, { recursive: true });
  });
  const ask = (path: string, init: RequestInit = {}, host = 'shop.example'): Promise<Response> =>
    app.fetch(`http://${host}${path}`, { ...init, peer: { address: '203.0.113.1' } });

  it('health answers probes before the host is checked, and the host is checked before everything else', async () => {
    assert.equal((await ask('/healthz', {}, '10.0.0.7')).status, 200);
    assert.equal((await ask('/private/page', {}, '10.0.0.7')).status, 400);
    const preflight = {
      method: 'OPTIONS',
      headers: { Origin: 'https://other.example', 'Access-Control-Request-Method': 'GET' },
    };
    assert.equal((await ask('/private/page', preflight, '10.0.0.7')).status, 400);
  });

  it('a preflight is answered before the rate limit, the router and the firewall', async () => {
    const headers = { Origin: 'https://other.example', 'Access-Control-Request-Method': 'GET' };
    for (let turn = 0; turn < 3; turn++)
      assert.equal((await ask('/private/few', { method: 'OPTIONS', headers })).status, 204);
  });

  it('the rate limit refuses before the firewall is asked', async () => {
    assert.equal((await ask('/private/few')).status, 401);
    assert.equal((await ask('/private/few')).status, 429);
  });

  it('the firewall refuses before a miss, a route or a file is answered', async () => {
    for (const path of ['/private/nothing', '/private/page', '/private/private.txt'])
      assert.equal((await ask(path)).status, 401, path);
  });

  it('the locale is known when the firewall refuses, and a locale redirect comes before it', async () => {
    const french = { headers: { 'Accept-Language': 'fr', Accept: 'text/html' } };
    assert.equal((await ask('/private/page', french)).headers.get('content-language'), 'fr');
    const rewritten = await ask('/page', french);
    assert.deepEqual(
      [rewritten.status, new URL(rewritten.headers.get('location') ?? '', 'http://shop.example').pathname],
      [302, '/fr/page'],
    );
  });

  it("an ETag is that of the controller's output, whichever encoding is sent", async () => {
    const plain = await ask('/en/page', { headers: { 'Accept-Encoding': 'identity' } });
    const packed = await ask('/en/page', { headers: { 'Accept-Encoding': 'gzip' } });
    assert.equal(packed.headers.get('content-encoding'), 'gzip');
    assert.equal(gunzipSync(Buffer.from(await packed.arrayBuffer())).toString(), await plain.text());
    const tag = packed.headers.get('etag') ?? '';
    assert.match(tag, /^W\//);
    const again = await ask('/en/page', { headers: { 'Accept-Encoding': 'gzip', 'If-None-Match': tag } });
    assert.equal(again.status, 304);
    assert.equal((await ask('/en/page', { headers: { 'If-None-Match': tag } })).status, 304);
  });
});
