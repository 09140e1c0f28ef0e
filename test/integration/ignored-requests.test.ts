import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, it } from 'node:test';
import { createApp } from 'lookback';
import { attach } from 'lookback/attach';
import express from 'express';
import { lookback } from 'lookback/express';
import { createTestClient } from 'lookback/testing';

const token = 'x-debug-token';

describe('ignored requests to an application', () => {
  const app = createApp({
    configuration: { env: 'test', debug: true, profilerStore: 'memory:', ignore: ['/healthz', '/broken'] },
    logHandlers: [],
  });
  app.get('/healthz', () => 'ok');
  app.get('/broken', () => {
    throw new Error('broken');
  });
  app.get('/', () => 'home');
  after(() => app.close());

  it('leave no record and have no token, even failed ones, and remove no other record', async () => {
    const client = createTestClient(app);
    for (const path of ['/healthz', '/broken']) {
      const response = await client.get(path);
      assert.equal(response.headers.get(token), null, path);
    }
    assert.notEqual((await client.get('/')).headers.get(token), null);
    await app.profiler?.flush();
    const list = await app.profiler?.list();
    assert.deepEqual(
      list?.rows.map(({ path }) => path),
      ['/'],
    );
    assert.equal(app.profiler?.counters().made, 1);
  });

  it('are set by the profiler option, which takes precedence over the configuration', async () => {
    const own = createApp({
      configuration: { env: 'test', debug: true, profilerStore: 'memory:', ignore: ['/a'] },
      profiler: { ignore: [({ method }) => method === 'POST'] },
    });
    own.get('/a', () => 'a').post('/a', () => 'a');
    const client = createTestClient(own);
    assert.notEqual((await client.get('/a')).headers.get(token), null);
    assert.equal((await client.post('/a')).headers.get(token), null);
    await own.close();
  });
});

describe('ignored requests to an attached server', () => {
  const answer = async (server: ReturnType<typeof createServer>, path: string): Promise<Response> => {
    if (!server.listening) await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as AddressInfo; // it listens on a port
    return fetch(`http://127.0.0.1:${port}${path}`);
  };

  it('have no token and no record if PROFILER_IGNORE lists them, even with a status of 500', async () => {
    process.env['PROFILER_IGNORE'] = 'GET /metrics*, /broken';
    const server = createServer((request, response) => {
      response.statusCode = request.url === '/broken' ? 500 : 200;
      response.end('answer');
    });
    const attached = attach(server, { store: 'memory:' });
    delete process.env['PROFILER_IGNORE'];
    for (const [path, isRecorded] of [
      ['/metrics?name=a', false],
      ['/broken', false],
      ['/other', true],
    ] as const) {
      const response = await answer(server, path);
      assert.equal(await response.text(), 'answer');
      assert.equal(response.headers.has(token), isRecorded, path);
    }
    const page = await (await answer(server, '/_profiler/')).text();
    assert.ok(page.includes('/other') && !page.includes('/metrics') && !page.includes('/broken'));
    server.close();
    await attached.close();
  });

  it('are set by an adapter option', async () => {
    const app = express();
    const watch = lookback({ store: 'memory:', ignore: ['/healthz'] });
    app.use(watch);
    app.get(['/healthz', '/'], (_request, response) => void response.send('sent'));
    const server = createServer(app);
    assert.equal((await answer(server, '/healthz')).headers.has(token), false);
    assert.equal((await answer(server, '/')).headers.has(token), true);
    server.close();
    await watch.close();
  });
});
