import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { basename } from 'node:path';
import { after, before, describe, it, mock } from 'node:test';
import { getRequestListener } from '@hono/node-server';
import Router from '@koa/router';
import express, { type NextFunction, type Request, type Response as Reply } from 'express';
import fastify, { type FastifyInstance } from 'fastify';
import { H3, toNodeHandler } from 'h3';
import * as h3One from 'h3v1';
import { Hono } from 'hono';
import Koa from 'koa';
import type { ProfileRecord } from '#profiler';
import { until } from '../../../../test/until.js';
import { Attachment } from '../attachment/attachment.js';
import { lookback as expressLookback } from '../express.js';
import { lookback as fastifyLookback } from '../fastify.js';
import { lookback as h3Lookback } from '../h3.js';
import { lookback as honoLookback } from '../hono.js';
import { lookback as koaLookback } from '../koa.js';
import { interceptEmit } from '../servers/intercept-emit.js';
import { watchRequests } from '../servers/watch-server.js';
import { watchH3Errors, watchH3Events } from './h3.js';
import { watchFrameworks } from './watch-frameworks.js';

/** One framework's handler that throws at once. */
const failure = (): (() => never) =>
  function failing() {
    throw new RangeError('out of paper');
  };

const options = { store: 'memory:', enabled: true };
const own: { close: () => PromiseLike<void> }[] = [];
/** An open attachment would also receive what later tests publish. */
function closedAtEnd<Middleware extends { close: () => PromiseLike<void> }>(
  middleware: Middleware,
): Middleware {
  own.push(middleware);
  return middleware;
}

/** Whether an application uses lookback's middleware, or is watched from outside. */
interface Look {
  readonly isOwn: boolean;
}

function expressApp({ isOwn }: Look): RequestListener {
  const app = express();
  if (isOwn) app.use(closedAtEnd(expressLookback(options)));
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

function koaApp({ isOwn }: Look): RequestListener {
  const app = new Koa();
  if (isOwn) app.use(closedAtEnd(koaLookback(options)));
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

function honoApp({ isOwn }: Look): RequestListener {
  const app = new Hono();
  if (isOwn) app.use(closedAtEnd(honoLookback(options)));
  app.use(async function outer(_context, next) {
    await next();
  });
  app.get('/shelves/:shelf/books/:book', function showBook(context) {
    return context.json(context.req.param());
  });
  app.get('/inner/fail', failure());
  app.all('/any/*', (context) => context.text('any'));
  app.onError((_error, context) => context.text('failed', 500));
  // The other frameworks in this process need Node's own `Response`.
  return getRequestListener(app.fetch, { overrideGlobalObjects: false }) as RequestListener; // its messages may be those of HTTP/2 as well
}

function h3App({ isOwn }: Look): RequestListener {
  const app = new H3({ silent: true });
  if (isOwn) app.use(closedAtEnd(h3Lookback(options)));
  app.use(async function outer(_event, next) {
    return next();
  });
  app.get('/shelves/:shelf/books/:book', function showBook(event) {
    return event.context.params;
  });
  app.get('/inner/fail', failure());
  return toNodeHandler(app) as RequestListener; // its messages may be those of HTTP/2 as well
}

function h3OneApp(): RequestListener {
  const app = h3One.createApp();
  const router = h3One.createRouter();
  router.get(
    '/shelves/:shelf/books/:book',
    h3One.eventHandler(function showBook({ context }) {
      return context.params;
    }),
  );
  router.use('/inner/fail', h3One.eventHandler(failure()));
  const refuse = (): never => {
    throw h3One.createError({ statusCode: 403, message: 'not you', cause: new Error('why') });
  };
  router.get('/refused', h3One.eventHandler(refuse));
  const caught = (): string => {
    h3One.createError({ statusCode: 500, message: 'made, and not thrown' });
    return 'fine';
  };
  router.get('/caught', h3One.eventHandler(caught));
  app.use(router);
  return h3One.toNodeListener(app);
}

function fastifyApp({ isOwn }: Look): FastifyInstance {
  const app = fastify();
  if (isOwn) void app.register(fastifyLookback(options));
  own.push({ close: () => app.close() });
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

/** These applications' servers. */
async function serve(look: Look): Promise<Map<string, Server>> {
  const apps = { express: expressApp, Koa: koaApp, Hono: honoApp, h3: h3App };
  const servers = new Map<string, Server>();
  for (const [name, create] of Object.entries(apps)) servers.set(name, createServer(create(look)).listen(0));
  if (!look.isOwn) servers.set('h3 1', createServer(h3OneApp()).listen(0));
  const app = fastifyApp(look);
  await app.listen({ port: 0, host: '127.0.0.1' });
  servers.set('Fastify', app.server);
  return servers;
}

type FindRecord = (token: string, origin: string) => Promise<ProfileRecord | false>;

async function ask(server: Server | undefined, path: string, find: FindRecord): Promise<Seen> {
  const address = server?.address() as AddressInfo | undefined; // it listens on a port
  assert.ok(address !== undefined);
  const origin = `http://127.0.0.1:${address.port}`;
  const response = await fetch(`${origin}${path}`);
  const token = response.headers.get('x-debug-token') ?? '';
  const text = await response.text();
  return { status: response.status, text, record: await until(() => find(token, origin)) };
}

/** Removes the bars that the recorder adds on a busy machine. */
const barsOf = ({ timeline }: ProfileRecord): string[] =>
  timeline.filter(({ category }) => /^(?:middleware|controller)$/.test(category)).map(({ name }) => name);

const shelves: Readonly<Record<string, readonly string[]>> = {
  express: ['outer', 'handler', 'showBook'],
  Koa: ['outer', 'router'],
  Hono: ['outer', 'showBook'],
  h3: ['outer', 'showBook'],
  'h3 1': [],
  Fastify: ['onRequest: outer', 'preHandler: later', 'showBook'],
};

async function checkRoute(
  name: string,
  get: (path: string) => Promise<Seen>,
  bars = shelves[name],
): Promise<void> {
  const { text, record } = await get('/shelves/7/books/8');
  assert.deepEqual(JSON.parse(text), { shelf: '7', book: '8' });
  assert.deepEqual(barsOf(record), bars);
  const { path, name: called, parameters } = record.route ?? assert.fail('no route was recorded');
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

async function checkFailure(get: (path: string) => Promise<Seen>): Promise<void> {
  const { status, record } = await get('/inner/fail');
  assert.deepEqual([status, record.route?.path], [500, '/inner/fail']);
  assert.deepEqual([record.exception?.status, record.exception?.message], [500, 'out of paper']);
  assert.equal(record.controller?.name, 'failing');
  const missed = await get('/nowhere');
  const { route, exception, controller } = missed.record;
  // Express reports that no route matches; others report nothing about routes.
  const matched = [route?.path ?? null, route?.name ?? null];
  assert.deepEqual([missed.status, matched, exception, controller], [404, [null, null], null, null]);
}

describe('watched frameworks', () => {
  let attachment: Attachment | undefined; // not yet, because it changes classes that other tests inspect
  let undo: readonly ((() => void) | undefined)[] = [];
  let servers = new Map<string, Server>();
  before(async () => {
    mock.method(console, 'error', () => undefined); // h3 1 prints thrown errors
    attachment = new Attachment(options);
    attachment.prepare();
    const frameworks = watchFrameworks();
    await frameworks.ready;
    undo = [
      frameworks.restore,
      interceptEmit(watchRequests(attachment, frameworks)),
      // This process has it under another name than a program that uses it.
      watchH3Events(h3One.H3Event.prototype),
      watchH3Errors(h3One.H3Error.prototype),
    ];
    servers = await serve({ isOwn: false });
  });
  after(async () => {
    mock.restoreAll();
    for (const one of undo) one?.();
    for (const server of servers.values()) server.close();
    await attachment?.close();
  });

  const find: FindRecord = async (token) => {
    const found = await attachment?.prepare().profiler.find(token);
    return found?.kind === 'found' && found.record.state === 'complete' && found.record;
  };
  const getter =
    (name: string) =>
    (path: string): Promise<Seen> =>
      ask(servers.get(name), path, find);

  for (const name of Object.keys(shelves)) {
    it(`${name}: a record has route, parameters, handler and the time of each middleware`, async () => {
      for (let time = 0; time < 2; time++) await checkRoute(name, getter(name));
    });

    it(`${name}: a handler's error is the exception, and a path without a route is not a failure`, async () => {
      await checkFailure(getter(name));
    });
  }

  it('name an anonymous handler by its route, and record no exception if the next handler responds with 200', async () => {
    const unnamed = await getter('express')('/unnamed');
    assert.deepEqual([unnamed.text, unnamed.record.controller?.name], ['unnamed', 'GET /unnamed']);
    assert.deepEqual(barsOf(unnamed.record), ['outer', 'handler']);
    const caught = await getter('express')('/caught');
    assert.deepEqual([caught.status, caught.text], [200, 'caught']);
    assert.equal(caught.record.exception, null); // responded with 200
    const any = await getter('Hono')('/any/x');
    assert.deepEqual([any.text, any.record.route], ['any', null]);
  });

  it('record the error that h3 1 responds with, but not one that was merely created', async () => {
    const refused = await getter('h3 1')('/refused');
    assert.deepEqual([refused.status, refused.record.exception?.status], [403, 403]);
    assert.deepEqual(
      refused.record.exception?.errors.map(({ message }) => message),
      ['why', 'not you'],
    );
    const caught = await getter('h3 1')('/caught');
    assert.deepEqual([caught.text, caught.record.exception], ['fine', null]);
  });

  it('record the route when a Fastify hook refuses a request, and the error that a hook sends', async () => {
    for (const [path, status, handler, message] of [
      ['/refused', 500, 'never', 'out of paper'],
      ['/sent', 500, 'GET /sent', 'sent'],
      ['/denied', 403, 'GET /denied', undefined],
    ] as const) {
      const { record, ...answer } = await getter('Fastify')(path);
      assert.deepEqual([answer.status, record.route?.path], [status, path]);
      assert.deepEqual([record.controller?.name, record.exception?.message], [handler, message]);
    }
  });
});

describe("frameworks with lookback's middleware", () => {
  let servers = new Map<string, Server>();
  before(async () => {
    servers = await serve({ isOwn: true });
  });
  after(async () => {
    for (const server of servers.values()) server.close();
    for (const middleware of own) await middleware.close();
  });
  const find: FindRecord = async (token, origin) => {
    const page = await fetch(`${origin}/_profiler/${token}.json`);
    const text = await page.text();
    return text.includes('"state":"complete"') && (JSON.parse(text) as ProfileRecord); // our own JSON
  };

  for (const name of Object.keys(shelves).filter((one) => one !== 'h3 1'))
    it(`${name}: a record has route, handler, middleware and the thrown error`, async () => {
      const get = (path: string): Promise<Seen> => ask(servers.get(name), path, find);
      await get('/shelves/7/books/8'); // h3 has bars from the second request on, and none for a handler
      await checkRoute(name, get, name === 'h3' ? ['outer'] : undefined);
      await checkFailure(get);
    });
});
