import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { after, describe, it } from 'node:test';
import { type FlaggedProgram, startProgram } from './flagged-program.js';

const up = `Number(process.env.PORT), '127.0.0.1'`;

interface Program extends FlaggedProgram {
  /** The timeline's bars for /shelves/7/books/8, in the order of their start times. */
  readonly bars: readonly string[];
  readonly handler?: string;
}

const koa = `
const app = new Koa();
app.silent = true;
app.use(async function outer(ctx, next) { await next(); });
const router = new Router();
router.get('/shelves/:shelf/books/:book', async function showBook(ctx) { ctx.body = ctx.params; });
router.get('/fail', async function fail() { throw new RangeError('out of paper'); });
app.listen(${up}, () => process.send('up'));
// Koa runs what is added while it listens, too.
app.use(async function later(ctx, next) { await next(); });
app.use(router.routes());`;

const hono = `
const app = new Hono();
app.use(async function outer(c, next) { await next(); });
const books = new Hono();
books.get('/:shelf/books/:book', async function showBook(c) { return c.json(c.req.param()); });
app.route('/shelves', books);
app.get('/fail', async function fail() { throw new RangeError('out of paper'); });
app.onError((error, c) => c.text('failed', 500));
serve({ fetch: app.fetch, port: Number(process.env.PORT), hostname: '127.0.0.1' }, () => process.send('up'));`;

const h3Before = `
const app = createApp();
const router = createRouter();
router.get('/shelves/:shelf/books/:book', eventHandler(async function showBook(event) { return event.context.params; }));
router.get('/fail', eventHandler(() => { throw new RangeError('out of paper', { cause: new Error('the root') }); }));
router.get('/refuse', eventHandler(() => { throw createError({ statusCode: 403, message: 'not you' }); }));
app.use(router);
createServer(toNodeListener(app)).listen(${up}, () => process.send('up'));`;
const h3Names = '{ createApp, createError, createRouter, eventHandler, toNodeListener }';

const fastify = `
const app = fastify();
app.addHook('onRequest', async function outer() {});
app.register(async function books(app) {
  app.addHook('preHandler', function check(request, reply, done) { setImmediate(done); });
  app.addHook('onSend', async function stamp(request, reply, payload) { return payload + ' '; });
  const preValidation = function look(request, reply, done) { done(); };
  app.get('/shelves/:shelf/books/:book', { preValidation }, async function showBook(request) { return request.params; });
  app.get('/refuse', { onRequest: async (request, reply) => reply.code(403).send('not you') }, () => 'late');
});
app.addHook('preParsing', function inflate(request, reply, body, done) { done(null, body); });
app.addHook('onError', async function mourn() {});
app.get('/fail', { preHandler: [async () => { throw new RangeError('out of paper'); }] }, () => 'late');
app.get('/locked', async () => { throw Object.defineProperty(new Error('x'), 'statusCode', { get() { throw new Error('locked'); } }); });
app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' }).then(() => process.send('up'));`;
const fastifyBars = [
  'onRequest: outer',
  'preParsing: inflate',
  'preValidation: look',
  'preHandler: check (books)',
  'showBook',
  'onSend: stamp (books)',
];

const nest = (platform: string): string => `
require('reflect-metadata');
const { Controller, Get, Module, Param } = require('@nestjs/common');
const { NestFactory } = require('@nestjs/core');
${platform}
class BookController {
  showBook(shelf, book) { return { shelf, book }; }
  fail() { throw new RangeError('out of paper'); }
}
const get = (name, path) => Get(path)(BookController.prototype, name, Object.getOwnPropertyDescriptor(BookController.prototype, name));
Controller()(BookController);
get('showBook', 'shelves/:shelf/books/:book');
get('fail', 'fail');
Param('shelf')(BookController.prototype, 'showBook', 0);
Param('book')(BookController.prototype, 'showBook', 1);
class AppModule {}
Module({ controllers: [BookController] })(AppModule);
NestFactory.create(AppModule, ...adapter, { logger: false }).then((app) => app.listen(${up})).then(() => process.send('up'));`;

/** Programs without any lookback code. */
const programs: Record<string, Program> = {
  'Koa, as an ECMAScript module': {
    name: 'koa.mjs',
    text: `import Koa from 'koa'; import Router from '@koa/router';${koa}`,
    bars: ['outer', 'later', 'router'],
  },
  'Koa, by require': {
    name: 'koa.cjs',
    text: `const Koa = require('koa'); const { Router } = require('@koa/router');${koa}`,
    bars: ['outer', 'later', 'router'],
  },
  'Koa without its compose function, like Koa 2': {
    name: 'koa.cjs',
    text: `const Koa = require('koa'); const { Router } = require('@koa/router');${koa} delete app.compose;`,
    bars: ['outer', 'later', 'router'],
  },
  'Hono, as an ECMAScript module': {
    name: 'hono.mjs',
    text: `import { Hono } from 'hono'; import { serve } from '@hono/node-server';${hono}`,
    bars: ['outer', 'showBook'],
  },
  'Hono, by require': {
    name: 'hono.cjs',
    text: `const { Hono } = require('hono'); const { serve } = require('@hono/node-server');${hono}`,
    bars: ['outer', 'showBook'],
  },
  h3: {
    name: 'h3.mjs',
    text: `
      import { H3, serve } from 'h3';
      const app = new H3({ silent: true });
      app.use(async function outer(event, next) { return next(); });
      app.get('/shelves/:shelf/books/:book', async function showBook(event) { return event.context.params; });
      app.get('/fail', async function fail() { throw new RangeError('out of paper'); });
      const server = serve(app, { port: Number(process.env.PORT), hostname: '127.0.0.1', silent: true });
      await server.ready();
      process.send('up');`,
    bars: ['outer', 'showBook'],
  },
  'h3 1, as an ECMAScript module': {
    name: 'h3.mjs',
    renamed: { from: 'h3v1', to: 'h3' },
    text: `import { createServer } from 'node:http'; import ${h3Names} from 'h3';${h3Before}`,
    bars: [],
  },
  'h3 1, by require': {
    name: 'h3.cjs',
    renamed: { from: 'h3v1', to: 'h3' },
    text: `const { createServer } = require('node:http'); const ${h3Names} = require('h3');${h3Before}`,
    bars: [],
  },
  'Fastify, as an ECMAScript module': {
    name: 'fastify.mjs',
    text: `import fastify from 'fastify';${fastify}`,
    bars: fastifyBars,
  },
  'Fastify, by require': {
    name: 'fastify.cjs',
    text: `const fastify = require('fastify');${fastify}`,
    bars: fastifyBars,
  },
  'Fastify in a bundle': {
    name: 'bundled-fastify.cjs',
    text: `const fastify = require('fastify');${fastify}`,
    isBundled: true,
    bars: fastifyBars,
  },
  'Fastify in an ECMAScript module bundle': {
    name: 'bundled-fastify.mjs',
    text: `import fastify from 'fastify';${fastify}`,
    isBundled: true,
    bars: fastifyBars,
  },
  'Koa in a bundle': {
    name: 'bundled-koa.cjs',
    text: `const Koa = require('koa'); const { Router } = require('@koa/router');${koa}`,
    isBundled: true,
    bars: ['outer', 'later', 'router'],
  },
  'Nest on Express': {
    name: 'nest-express.cjs',
    text: nest('const adapter = [];'),
    bars: ['BookController.showBook'],
    handler: 'BookController.showBook',
  },
  'Nest on Fastify': {
    name: 'nest-fastify.cjs',
    text: nest(`const adapter = [new (require('@nestjs/platform-fastify').FastifyAdapter)()];`),
    bars: ['BookController.showBook'],
    handler: 'BookController.showBook',
  },
};

describe('frameworks under --import lookback/register, without lookback code in the application', () => {
  /** Each program is started once with the flag. */
  const started = new Map<string, ReturnType<typeof startProgram>>();
  const flagged = (what: string, program: FlaggedProgram): ReturnType<typeof startProgram> => {
    const running = started.get(what) ?? startProgram(program, { isFlagged: true });
    started.set(what, running);
    return running;
  };
  after(async () => {
    for (const running of started.values()) await (await running).close();
  });

  for (const [what, { bars, handler = 'showBook', ...program }] of Object.entries(programs))
    it(`${what}: the record has route, parameters, handler, each middleware's duration and the thrown error`, async () => {
      const { ask } = await flagged(what, program);
      // The first request is enough.
      const first = await ask('/shelves/7/books/8');
      assert.deepEqual(JSON.parse(first.text), { shelf: '7', book: '8' });
      for (const answer of [first, await ask('/shelves/7/books/8')]) {
        const record = await answer.record();
        assert.equal(record.route?.path, '/shelves/:shelf/books/:book');
        assert.deepEqual(record.route?.parameters.map((one) => [one.name, one.value.text]).toSorted(), [
          ['book', '8'],
          ['shelf', '7'],
        ]);
        assert.equal(record.controller?.name, handler);
        const { file, line } = record.controller ?? {};
        assert.equal(basename(file ?? ''), program.name);
        const text = readFileSync(file ?? '', 'utf8'); // a bundler changes it
        assert.match(text.split('\n')[(line ?? 0) - 1] ?? '', /showBook/);
        const names = record.timeline.map((span) => span.name);
        assert.deepEqual(
          names.filter((bar) => bars.includes(bar)),
          bars,
          names.join(),
        );
      }
      const failed = await ask('/fail');
      assert.equal(failed.status, 500);
      const record = await failed.record();
      const thrown = record.exception?.errors.find(({ message }) => message === 'out of paper');
      assert.match(JSON.stringify(thrown?.frames), new RegExp(program.name.replace('.', '\\.')));
      assert.equal(record.route?.path, '/fail');
      assert.equal((await (await ask('/nowhere')).record()).route, null);
    });

  for (const what of Object.keys(programs).filter((name) => /^h3 1|^Fastify/.test(name)))
    it(`${what}: the responses are the same as without the flag`, async (test) => {
      const program = programs[what];
      assert.ok(program);
      const [plain, watched] = [
        await startProgram(program, { isFlagged: false }),
        await flagged(what, program),
      ];
      test.after(() => plain.close());
      for (const path of ['/shelves/7/books/8', '/fail', '/locked', '/refuse', '/nowhere']) {
        const [without, answer] = [await plain.ask(path), await watched.ask(path)];
        assert.deepEqual([answer.status, answer.text], [without.status, without.text]);
        const { exception } = await answer.record();
        if (path === '/nowhere') assert.equal(exception, null);
        if (path === '/refuse' && what.startsWith('h3'))
          assert.deepEqual([exception?.status, exception?.message], [403, 'not you']);
      }
    });

  it('Koa in a bundle: is searched in the heap once, however many servers have its listener', async (test) => {
    const text = `
      const Koa = require('koa');
      const { createServer } = require('node:http');
      const { Session } = require('node:inspector');
      const { post } = Session.prototype;
      let searches = 0;
      Session.prototype.post = function (name, ...rest) {
        if (name === 'Runtime.queryObjects') searches++;
        return post.call(this, name, ...rest);
      };
      const app = new Koa();
      app.use(async (ctx) => {
        for (let more = ctx.path === '/more' ? 3 : 0; more > 0; more--) {
          const server = createServer(app.callback());
          await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
          await (await fetch('http://127.0.0.1:' + server.address().port)).text();
          server.close();
        }
        ctx.body = String(searches);
      });
      app.listen(${up}, () => process.send('up'));`;
    const program = await startProgram(
      { name: 'many-servers.cjs', text, isBundled: true },
      { isFlagged: true },
    );
    test.after(() => program.close());
    assert.equal((await program.ask('/more')).text, '1');
  });
});
