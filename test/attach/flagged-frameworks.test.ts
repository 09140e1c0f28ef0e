import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import type { ProfileRecord } from '#profiler';
import { freePort } from '../free-port.js';

const root = resolve('.');
const up = `Number(process.env.PORT), '127.0.0.1'`;

interface Program {
  readonly name: string;
  readonly text: string;
  /** The bars of the timeline in the order in which they begin, for /shelves/7/books/8. */
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

/** Programs without a line about lookback. */
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

describe('frameworks under --import lookback/register, without a line in the application', () => {
  for (const [what, { name, text, bars, handler = 'showBook' }] of Object.entries(programs))
    it(`${what}: the record has route, parameters, handler, the time of each middleware and what was thrown`, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'frameworks-'));
      symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
      writeFileSync(join(folder, name), text);
      const port = await freePort();
      const child = spawn(process.execPath, ['--import', join(root, 'dist/bundle/register.js'), name], {
        cwd: folder,
        env: { PATH: process.env['PATH'], PORT: String(port), PROFILER_STORE: 'memory:' },
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      });
      try {
        await once(child, 'message');
        const origin = `http://127.0.0.1:${port}`;
        const recordOf = async (
          path: string,
        ): Promise<{ status: number; text: string; record: ProfileRecord }> => {
          const response = await fetch(origin + path);
          const answered = await response.text();
          const token = response.headers.get('x-debug-token');
          for (let tries = 0; ; tries++) {
            const page = await (await fetch(`${origin}/_profiler/${token}.json`)).text();
            if (page.includes('"state":"complete"'))
              return { status: response.status, text: answered, record: JSON.parse(page) as ProfileRecord }; // our own page
            assert.ok(tries < 200, page.slice(0, 500));
            await new Promise((done) => setTimeout(done, 20));
          }
        };
        // The first request already.
        const first = await recordOf('/shelves/7/books/8');
        assert.deepEqual(JSON.parse(first.text), { shelf: '7', book: '8' });
        const second = await recordOf('/shelves/7/books/8');
        for (const { record } of [first, second]) {
          assert.equal(record.route?.path, '/shelves/:shelf/books/:book');
          assert.deepEqual(record.route?.parameters.map((one) => [one.name, one.value.text]).toSorted(), [
            ['book', '8'],
            ['shelf', '7'],
          ]);
          assert.equal(record.controller?.name, handler);
          const names = record.timeline.map((span) => span.name);
          assert.deepEqual(
            names.filter((bar) => bars.includes(bar)),
            bars,
            names.join(),
          );
        }
        const failed = await recordOf('/fail');
        assert.equal(failed.status, 500);
        assert.match(JSON.stringify(failed.record.exception), /RangeError.*out of paper/);
        assert.equal(failed.record.route?.path, '/fail');
        assert.equal((await recordOf('/nowhere')).record.route, null);
      } finally {
        const exit = once(child, 'exit');
        child.kill('SIGKILL');
        await exit;
        rmSync(folder, { recursive: true, force: true });
      }
    });
});
