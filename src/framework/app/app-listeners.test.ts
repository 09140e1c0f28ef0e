import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HttpResponse } from '#core/http';
import type { App } from './app.js';
import type { Configuration } from './configuration/configuration.js';
import { createApp } from './create-app.js';

const proxy = { peer: { address: '10.0.0.1' } } as const;
const generated = /^[0-9a-f]{32}$/;

function openApp(configuration: Partial<Configuration> = {}): App {
  const app = createApp({
    configuration: {
      env: 'test',
      debug: false,
      profilerStore: 'off',
      trustedProxies: ['10.0.0.1'],
      ...configuration,
    },
    logHandlers: [],
  });
  return app.get('/', () => 'x');
}

describe("a request's id", () => {
  const idOf = async (
    headers: Record<string, string>,
    { app = openApp(), peer = proxy.peer }: { app?: App; peer?: { address?: string } } = {},
  ): Promise<string> =>
    (await app.fetch('/', { headers, peer: peer as never })).headers.get('x-request-id') ?? ''; // peers may lack an address
  const trace = '0af7651916cd43dd8448eb211c80319c';

  it("comes from a trusted proxy: X-Request-Id, or traceparent's trace id", async () => {
    const longest = 'a'.repeat(128);
    assert.equal(await idOf({ 'X-Request-Id': longest }), longest);
    assert.equal(
      await idOf({ 'X-Request-Id': 'a.b:c/d@e+f=g-h_i', traceparent: `00-${trace}-b7ad6b7169203331-01` }),
      'a.b:c/d@e+f=g-h_i',
    );
    for (const traceparent of [`00-${trace}-b7ad6b7169203331-01`, `cc-${trace}-b7ad6b7169203331-01-more`])
      assert.equal(await idOf({ traceparent }), trace);
  });

  it('is generated for invalid ids, and for untrusted clients', async () => {
    for (const headers of [
      { 'X-Request-Id': 'a'.repeat(129) },
      { 'X-Request-Id': 'a b' },
      { 'X-Request-Id': '' },
      { traceparent: `00-${'0'.repeat(32)}-b7ad6b7169203331-01` },
      { traceparent: `00-${trace}-b7ad6b7169203331-01more` },
      { traceparent: `00-${trace}-b7ad6b7169203331` },
    ] as Record<string, string>[])
      assert.match(await idOf(headers), generated, JSON.stringify(headers));
    const sent = { 'X-Request-Id': 'mine' };
    for (const peer of [{ address: '10.0.0.2' }, {}]) assert.match(await idOf(sent, { peer }), generated);
    assert.match(await idOf(sent, { app: openApp({ trustedProxies: [] }) }), generated);
  });

  it("is the response's own if the application sets one", async () => {
    const app = openApp();
    app.get('/own', () => {
      const response = HttpResponse.text('x');
      response.headers.set('X-Request-Id', 'own');
      return response;
    });
    assert.equal((await app.fetch('/own', proxy)).headers.get('x-request-id'), 'own');
  });
});

describe('search engines', () => {
  it('are excluded only in debug', async () => {
    for (const debug of [true, false]) {
      const answer = await openApp({ debug }).fetch('/');
      assert.equal(answer.headers.get('x-robots-tag'), debug ? 'noindex' : null);
    }
  });

  it('K10: get the header that the application set instead', async () => {
    const app = openApp({ debug: true });
    const response = (): HttpResponse => HttpResponse.text('x', { headers: { 'X-Robots-Tag': 'all' } });
    assert.equal((await app.get('/own', response).fetch('/own')).headers.get('x-robots-tag'), 'all');
  });
});
