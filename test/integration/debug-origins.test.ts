import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type App, type Configuration, createApp, readConfiguration } from 'lookback';

const vite = 'http://localhost:5173';

function makeApp(configuration: Partial<Configuration> = {}): App {
  const app = createApp({
    configuration: {
      env: 'test',
      debug: true,
      profilerStore: 'memory:',
      debugOrigins: [vite],
      ...configuration,
    },
    logHandlers: [],
  });
  app.any('/api', () => ({ ok: true }));
  app.get('/exposing', ({ request }) => {
    void request;
    return new Response('x', { headers: { 'Access-Control-Expose-Headers': 'ETag' } });
  });
  return app;
}

const peer = { address: '127.0.0.1' };
/** The headers that a browser sends for a script from another port of this machine. */
const script = {
  Origin: vite,
  'Sec-Fetch-Site': 'same-site',
  'Sec-Fetch-Mode': 'cors',
  'Sec-Fetch-Dest': 'empty',
};

describe('origins of development servers', () => {
  it('a listed one gets the token, in headers that its scripts may read', async () => {
    const app = makeApp();
    const response = await app.fetch('http://localhost:8000/api', { headers: script, peer });
    assert.match(response.headers.get('x-debug-token') ?? '', /^[0-9a-f]{6,}$/);
    assert.equal(response.headers.get('access-control-expose-headers'), 'X-Debug-Token, X-Debug-Token-Link');
    const other = await app.fetch('http://localhost:8000/exposing', { headers: script, peer });
    assert.equal(
      other.headers.get('access-control-expose-headers'),
      'ETag, X-Debug-Token, X-Debug-Token-Link',
    );
    await app.close();
  });

  it('a POST through its proxy, which has another Host, keeps its token', async () => {
    const app = makeApp();
    const proxied = { Origin: vite, 'Sec-Fetch-Site': 'same-origin', 'Content-Type': 'application/json' };
    const response = await app.fetch('http://localhost:8000/api', {
      method: 'POST',
      body: '{}',
      headers: proxied,
      peer,
    });
    assert.notEqual(response.headers.get('x-debug-token'), null);
    await app.close();
  });

  it('no one else gets a token: no other port, site or machine, no foreign Host, no proxy, and no request with two Origin headers', async () => {
    const app = makeApp();
    const token = async (
      headers: Readonly<Record<string, string>> | readonly [string, string][],
      { address = '127.0.0.1', url = 'http://localhost:8000/api' } = {},
    ): Promise<string | null> => {
      const response = await app.fetch(url, { headers: headers as HeadersInit, peer: { address } }); // either form is accepted
      return response.headers.get('x-debug-token');
    };
    assert.notEqual(await token(script), null);
    for (const origin of [
      'http://localhost:5174',
      'https://localhost:5173',
      'http://localhost:51730',
      'null',
      'https://evil.example',
    ])
      assert.equal(await token({ ...script, Origin: origin }), null, origin);
    assert.equal(await token({ ...script, Origin: `${vite}/` }), null);
    assert.equal(
      await token({ ...script, Origin: 'http://evil.example', 'Sec-Fetch-Site': 'cross-site' }),
      null,
    );
    const { Origin: _origin, ...withoutOrigin } = script;
    assert.equal(await token(withoutOrigin), null, 'a same-site request without an Origin gets no token');
    assert.equal(await token(script, { address: '192.168.1.7' }), null);
    assert.equal(await token({ ...script, 'X-Forwarded-For': '127.0.0.1' }), null);
    assert.equal(await token(script, { url: 'http://evil.example/api' }), null);
    assert.equal(await token([...Object.entries(script), ['Origin', 'http://evil.example']]), null);
    await app.close();
  });

  it("the profiler's pages stay closed to it", async () => {
    const app = makeApp();
    const api = await app.fetch('http://localhost:8000/api', { headers: script, peer });
    const link = `http://localhost:8000/_profiler/${api.headers.get('x-debug-token')}.json`;
    assert.equal((await app.fetch(link, { headers: script, peer })).status, 404);
    assert.equal((await app.fetch(link, { peer })).status, 200);
    await app.close();
  });

  it('in production, a listed origin gets no token and no exposed headers', async () => {
    const app = makeApp({ env: 'prod', debug: false });
    const response = await app.fetch('http://localhost:8000/api', { headers: script, peer });
    assert.equal(response.headers.get('x-debug-token'), null);
    assert.equal(response.headers.get('access-control-expose-headers'), null);
    await app.close();
  });

  it('DEBUG_ALLOWED_ORIGINS accepts origins as browsers send them, and nothing else', () => {
    const origins = readConfiguration({ DEBUG_ALLOWED_ORIGINS: `${vite}, https://app.test` }).debugOrigins;
    assert.deepEqual(origins, [vite, 'https://app.test']);
    for (const value of [
      '*',
      'localhost:5173',
      'http://localhost:5173/',
      'http://localhost:80',
      'file:///x',
      'null',
    ])
      assert.throws(
        () => readConfiguration({ DEBUG_ALLOWED_ORIGINS: value }),
        { code: 'CONFIG_BAD_VALUE' },
        value,
      );
    assert.throws(() => readConfiguration({ ACCESS_LOG: 'yes' }), { code: 'CONFIG_BAD_VALUE' });
    assert.equal(readConfiguration({ ACCESS_LOG: 'json' }).accessLog, 'json');
  });
});
