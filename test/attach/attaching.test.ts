import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Session } from 'node:inspector';
import { it } from 'node:test';
import type { AddressInfo } from 'node:net';
import fastify, { type FastifyInstance } from 'fastify';
import { serve } from '@hono/node-server';
import { attach } from 'lookback/attach';
import { lookback as expressLookback } from 'lookback/express';
import { lookback as fastifyLookback } from 'lookback/fastify';
import { lookback as honoLookback } from 'lookback/hono';
import { lookback as koaLookback } from 'lookback/koa';
import { expressApp } from './apps/express-app.js';
import { fastifyApp } from './apps/fastify-app.js';
import { honoApp } from './apps/hono-app.js';
import { koaApp } from './apps/koa-app.js';
import { listen, listenOn } from './apps/listen.js';
import { plainHandler } from './apps/plain-app.js';
import { describeAttaching } from './contract.js';

process.env['NODE_ENV'] = 'test'; // keeps Express from writing errors to stderr

describeAttaching({
  name: 'node:http',
  async start(isAttached) {
    const server = createServer(plainHandler);
    const attached = isAttached ? attach(server, { store: 'memory:' }) : undefined;
    return listenOn(server, async () => attached?.close());
  },
  pattern: undefined,
  handler: undefined,
  seesErrors: false,
  isRaw: true,
});

for (const version of ['express', 'express4'] as const)
  describeAttaching({
    name: version,
    async start(isAttached) {
      const profile = isAttached ? expressLookback({ store: 'memory:' }) : undefined;
      return listen(expressApp(version, profile), async () => profile?.close());
    },
    pattern: '/users/:id',
    handler: 'showUser',
    seesErrors: true,
    middleware: 'stamp',
    refusesBodies: true,
    isRaw: true,
  });

describeAttaching({
  name: 'fastify',
  async start(isAttached) {
    const app = await fastifyApp(isAttached);
    await app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = app.server.address() as AddressInfo; // it listens on a port
    return { port, close: () => app.close() };
  },
  pattern: '/users/:id',
  handler: 'showUser',
  seesErrors: true,
  middleware: 'onRequest: stamp',
  refusesBodies: true,
  isRaw: true,
});

describeAttaching({
  name: 'koa',
  async start(isAttached) {
    const profile = isAttached ? koaLookback({ store: 'memory:' }) : undefined;
    return listen(koaApp(profile).callback(), async () => profile?.close());
  },
  pattern: '/users/:id',
  handler: 'showUser',
  seesErrors: true,
  middleware: 'stamp',
  isRaw: true,
});

describeAttaching({
  name: 'hono',
  async start(isAttached) {
    const profile = isAttached ? honoLookback({ store: 'memory:' }) : undefined;
    const { fetch } = honoApp(profile);
    return new Promise((resolve) => {
      const server = serve(
        { fetch, port: 0, hostname: '127.0.0.1', serverOptions: { keepAliveTimeout: 60_000 } },
        ({ port }) =>
          resolve({
            port,
            async close() {
              if ('closeAllConnections' in server) server.closeAllConnections();
              await new Promise((closed) => server.close(closed));
              await profile?.close();
            },
          }),
      );
    });
  },
  pattern: '/users/:id',
  handler: 'showUser',
  seesErrors: true,
  middleware: 'stamp',
  isRaw: false,
});

for (const [form, register] of [
  ['app.register(lookback, options)', (app) => app.register(fastifyLookback, { store: 'memory:' })],
  ['app.register(lookback(options))', (app) => app.register(fastifyLookback({ store: 'memory:' }))],
] satisfies [string, (app: FastifyInstance) => unknown][])
  it(`Fastify records a request to a route that is declared after ${form}`, async () => {
    const app = fastify();
    register(app);
    app.get('/later', async function showLater() {
      return { ok: true };
    });
    await app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = app.server.address() as AddressInfo; // it listens on a port
    const { headers } = await fetch(`http://127.0.0.1:${port}/later`);
    const record = await (await fetch(`${headers.get('x-debug-token-link') ?? ''}.md`)).text();
    assert.match(record, /showLater/);
    await app.close();
  });

it('a disabled adapter passes requests on and records nothing', async () => {
  const profile = expressLookback({ enabled: false });
  const running = await listen(expressApp('express', profile), () => profile.close());
  const { status, headers } = await fetch(`http://127.0.0.1:${running.port}/users/7`);
  assert.deepEqual([status, headers.get('x-debug-token')], [200, null]);
  await running.close();
});

it('Hono is no longer recorded after detaching', async (test) => {
  const profile = honoLookback({ store: 'memory:' });
  const app = honoApp(profile);
  app.get('/seen', (context) => context.text('seen'));
  const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' });
  test.after(async () => {
    server.close();
    await profile.close();
  });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port
  const isRecorded = async (): Promise<boolean> => {
    const response = await fetch(`http://127.0.0.1:${port}/seen`);
    assert.equal(await response.text(), 'seen');
    return response.headers.has('x-debug-token');
  };
  assert.equal(await isRecorded(), true);
  profile.detach();
  assert.equal(await isRecorded(), false);
});

it('Hono passes on thrown values that are not errors, as without the adapter', async (test) => {
  const profile = honoLookback({ store: 'memory:' });
  const answers = await Promise.all(
    [undefined, profile].map(async (adapter) => {
      const app = honoApp(adapter);
      const told: unknown[] = [];
      app.onError((error, context) => {
        told.push(error);
        return context.text('told', 500);
      });
      app.get('/text', () => Promise.reject('no Error')); // oxlint-disable-line prefer-promise-reject-errors -- the subject of the test
      app.get('/nothing', () => Promise.reject());
      const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' });
      test.after(() => void server.close());
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo; // it listens on a port
      const shown: unknown[] = [];
      for (const path of ['/text', '/nothing']) {
        const response = await fetch(`http://127.0.0.1:${port}${path}`);
        shown.push([response.status, await response.text()]);
      }
      return [...shown, told];
    }),
  );
  test.after(() => profile.close());
  assert.deepEqual(answers[1], answers[0]);
});

for (const version of ['express', 'express4'] as const)
  it(`${version}: the middleware's error page is shown if the server is already watched`, async (test) => {
    const profile = expressLookback({ store: 'memory:', errorPage: true });
    const server = createServer(expressApp(version, profile));
    const attached = attach(server, { store: 'memory:' });
    const running = await listenOn(server, async () => {
      await attached.close();
      await profile.close();
    });
    test.after(() => running.close());
    const response = await fetch(`http://127.0.0.1:${running.port}/boom`, {
      headers: { accept: 'text/html' },
    });
    const page = await response.text();
    assert.equal(response.status, 500);
    assert.match(page, /out of paper/);
    // The page links to the record of the server's own attachment.
    const link = response.headers.get('x-debug-token-link') ?? '';
    assert.match(await (await fetch(`${link}.md`)).text(), /out of paper/);
  });

it('detaching one server does not remove Koa routes from the records of another', async () => {
  const started = await Promise.all(
    [1, 2].map(async () => {
      const server = createServer(koaApp().callback());
      const attached = attach(server, { store: 'memory:' });
      return { attached, server: await listenOn(server, () => attached.close()) };
    }),
  );
  const routeAt = async (index: number): Promise<unknown> => {
    const origin = `http://127.0.0.1:${started[index]?.server.port}`;
    const answer = await fetch(`${origin}/users/7`);
    const record = await fetch(`${origin}/_profiler/${answer.headers.get('x-debug-token')}.json`);
    return ((await record.json()) as { route?: { path?: unknown } }).route?.path; // a record
  };
  assert.deepEqual([await routeAt(0), await routeAt(1)], ['/users/:id', '/users/:id']);
  started[0]?.attached.detach();
  assert.equal(await routeAt(1), '/users/:id');
  for (const { server } of started) await server.close();
});

it('memory is not searched for Hono routers again for each watched server', async (test) => {
  const post = test.mock.method(Session.prototype, 'post');
  for (const path of ['/first', '/second']) {
    post.mock.resetCalls();
    const server = createServer((_request, response) => void response.end());
    const attached = attach(server, { store: 'memory:' });
    const running = await listenOn(server, () => attached.close());
    await fetch(`http://127.0.0.1:${running.port}${path}`);
    await running.close();
  }
  const asked = post.mock.calls.map(({ arguments: [method] }) => String(method));
  assert.deepEqual(
    asked.filter((method) => method === 'Runtime.queryObjects'),
    [],
  );
});
