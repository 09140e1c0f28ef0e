import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { basename } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { getRequestListener } from '@hono/node-server';
import Router from '@koa/router';
import express, { type NextFunction, type Request, type Response as Reply } from 'express';
import fastify, { type FastifyInstance } from 'fastify';
import { H3, toNodeHandler } from 'h3';
import { Hono } from 'hono';
import Koa from 'koa';
import type { ProfileRecord } from '#profiler';
import { until } from '../../../test/until.js';
import { Attachment } from '../attachment/attachment.js';
import { interceptEmit } from '../servers/intercept-emit.js';
import { watchRequests } from '../servers/watch-server.js';
import { watchFrameworks } from './watch-frameworks.js';

/** A handler of one framework that throws at once. */
const failure = (): (() => never) =>
  function failing() {
    throw new RangeError('out of paper');
  };

function expressApp(): RequestListener {
  const app = express();
  app.set('env', 'test');
  app.use(function outer(_request: Request, _reply: Reply, next: NextFunction) {
    next();
  });
  app.get('/shelves/:shelf/books/:book', (_request, _reply, next) => next('route'));
  app.get('/shelves/:shelf/books/:book', function showBook({ params }, reply) {
    reply.json(params);
  });
  const inner = express.Router();
  inner.get('/fail', failure());
  app.use('/inner', inner);
  app.get(
    '/unnamed',
    (
      () => (_request: Request, reply: Reply) =>
        void reply.end('unnamed')
    )(),
  );
  app.get('/caught', failure(), (_error: Error, _request: Request, reply: Reply, _next: NextFunction) => {
    reply.end('caught');
  });
  return app;
}

function koaApp(): RequestListener {
  const app = new Koa();
  app.silent = true;
  app.use(async function outer(_context, next) {
    await next();
  });
  const router = new Router();
  router.get('book', '/shelves/:shelf/books/:book', async function showBook(context) {
    context.body = context['params'];
  });
  router.get('/inner/fail', failure());
  app.use(router.routes());
  return app.callback();
}

function honoApp(): RequestListener {
  const app = new Hono();
  app.use(async function outer(_context, next) {
    await next();
  });
  app.get('/shelves/:shelf/books/:book', function showBook(context) {
    return context.json(context.req.param());
  });
  app.get('/inner/fail', failure());
  app.all('/any/*', (context) => context.text('any'));
  app.onError((_error, context) => context.text('failed', 500));
  // The other frameworks of this process need Node's own `Response`.
  return getRequestListener(app.fetch, { overrideGlobalObjects: false }) as RequestListener; // its messages may be those of HTTP/2 as well
}

function h3App(): RequestListener {
  const app = new H3({ silent: true });
  app.use(async function outer(_event, next) {
    return next();
  });
  app.get('/shelves/:shelf/books/:book', function showBook(event) {
    return event.context.params;
  });
  app.get('/inner/fail', failure());
  return toNodeHandler(app) as RequestListener; // its messages may be those of HTTP/2 as well
}

function fastifyApp(): FastifyInstance {
  const app = fastify();
  app.addHook('onRequest', async function outer() {});
  app.addHook('preHandler', function later(_request, _reply, done) {
    setImmediate(done);
  });
  app.get('/shelves/:shelf/books/:book', async function showBook({ params }) {
    return params;
  });
  app.get('/inner/fail', failure());
  const refuse = async (): Promise<never> => failure()();
  app.get('/refused', { preValidation: refuse }, function never() {});
  app.get('/sent', { onRequest: (_request, reply) => void reply.send(new RangeError('sent')) }, () => '');
  app.get('/denied', { onRequest: (_request, reply) => void reply.code(403).send('no') }, () => '');
  return app;
}

interface Seen {
  readonly status: number;
  readonly text: string;
  readonly record: ProfileRecord;
}

describe('frameworks that are watched', () => {
  const attachment = new Attachment({ store: 'memory:', enabled: true });
  const frameworks = watchFrameworks();
  const { profiler } = attachment.prepare();
  let restore = (): void => undefined;
  const servers = new Map<string, Server>();
  before(async () => {
    await frameworks.ready;
    restore = interceptEmit(watchRequests(attachment, frameworks));
    const apps = { express: expressApp, Koa: koaApp, Hono: honoApp, h3: h3App };
    for (const [name, create] of Object.entries(apps)) servers.set(name, createServer(create()).listen(0));
    const app = fastifyApp();
    await app.listen({ port: 0, host: '127.0.0.1' });
    servers.set('Fastify', app.server);
  });
  after(async () => {
    restore();
    frameworks.restore();
    for (const server of servers.values()) server.close();
    await attachment.close();
  });

  const ask = async (name: string, path: string): Promise<Seen> => {
    const address = servers.get(name)?.address() as AddressInfo | undefined; // it listens on a port
    assert.ok(address !== undefined);
    const response = await fetch(`http://127.0.0.1:${address.port}${path}`);
    const token = response.headers.get('x-debug-token') ?? '';
    const { status } = response;
    const text = await response.text();
    const record = await until(async () => {
      const found = await profiler.find(token);
      return found.kind === 'found' && found.record.state === 'complete' && found.record;
    });
    return { status, text, record };
  };
  /** Without what the recorder adds on a busy machine. */
  const barsOf = ({ timeline }: ProfileRecord): string[] =>
    timeline.filter(({ category }) => /^(?:middleware|controller)$/.test(category)).map(({ name }) => name);

  const shelves: Readonly<Record<string, readonly string[]>> = {
    express: ['outer', 'handler', 'showBook'],
    Koa: ['outer', 'router'],
    Hono: ['outer', 'showBook'],
    h3: ['outer', 'showBook'],
    Fastify: ['onRequest: outer', 'preHandler: later', 'showBook'],
  };
  for (const [name, bars] of Object.entries(shelves)) {
    it(`${name}: a record has route, parameters, handler and the time of each middleware`, async () => {
      for (let time = 0; time < 2; time++) {
        const { text, record } = await ask(name, '/shelves/7/books/8');
        assert.deepEqual(JSON.parse(text), { shelf: '7', book: '8' });
        assert.deepEqual(barsOf(record), bars);
        const { path, name: called, parameters } = record.route ?? assert.fail('there is no route');
        assert.deepEqual(
          [path, called],
          ['/shelves/:shelf/books/:book', name === 'Koa' ? 'book' : 'GET /shelves/:shelf/books/:book'],
        );
        assert.deepEqual(parameters.map((one) => [one.name, one.value.text]).toSorted(), [
          ['book', '8'],
          ['shelf', '7'],
        ]);
        assert.equal(record.controller?.name, 'showBook');
        assert.match(basename(record.controller?.file ?? ''), /^watch-frameworks\.test\./);
        assert.equal(record.exception, null);
      }
    });

    it(`${name}: what a handler throws is the exception, and a path without a route is no failure`, async () => {
      const { status, record } = await ask(name, '/inner/fail');
      assert.deepEqual([status, record.route?.path], [500, '/inner/fail']);
      assert.deepEqual([record.exception?.status, record.exception?.message], [500, 'out of paper']);
      assert.equal(record.controller?.name, 'failing');
      const missed = await ask(name, '/nowhere');
      const { route, exception, controller } = missed.record;
      assert.deepEqual([missed.status, route, exception, controller], [404, null, null, null]);
    });
  }

  it('name a handler without a name by its route, and have the error that the next one answers', async () => {
    const unnamed = await ask('express', '/unnamed');
    assert.deepEqual([unnamed.text, unnamed.record.controller?.name], ['unnamed', 'GET /unnamed']);
    assert.deepEqual(barsOf(unnamed.record), ['outer', 'handler']);
    const caught = await ask('express', '/caught');
    assert.deepEqual([caught.status, caught.text], [200, 'caught']);
    assert.equal(caught.record.exception?.message, 'out of paper');
    const any = await ask('Hono', '/any/x');
    assert.deepEqual([any.text, any.record.route], ['any', null]);
  });

  it('have the route of a request that a hook of Fastify refuses, and the error that a hook sends', async () => {
    for (const [path, status, handler, message] of [
      ['/refused', 500, 'never', 'out of paper'],
      ['/sent', 500, 'GET /sent', 'sent'],
      ['/denied', 403, 'GET /denied', undefined],
    ] as const) {
      const { record, ...answer } = await ask('Fastify', path);
      assert.deepEqual([answer.status, record.route?.path], [status, path]);
      assert.deepEqual([record.controller?.name, record.exception?.message], [handler, message]);
    }
  });
});
