import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, describe, it } from 'node:test';
import { until } from '../until.js';
import { startProgram } from './flagged-program.js';

const root = mkdtempSync(join(tmpdir(), 'declared-'));
after(() => rmSync(root, { recursive: true, force: true }));

const up = `Number(process.env.PORT), '127.0.0.1', () => process.send('up')`;

const express = (name: string): string => `
  const express = require('${name}');
  const app = express();
  const posts = express.Router({ mergeParams: true }), deep = express.Router();
  app.use(express.json());
  app.get('/', (request, response) => response.send('home'));
  app.post('/orders', (request, response) => response.send('made'));
  app.all('/any', (request, response) => response.send('any'));
  app.get(['/one', '/two'], (request, response) => response.send('both'));
  deep.delete('/last/:z', (request, response) => response.send('last'));
  posts.route('/posts/:post').get((request, response) => response.send('post')).put((request, response) => response.end());
  posts.use('/deep/:d', deep);
  app.use('/users/:id', posts);
  app.use('/api', posts);
  app.use(deep);
  app.listen(${up});`;

const ofExpress = [
  'ALL /any',
  'DELETE /api/deep/:d/last/:z',
  'DELETE /last/:z',
  'DELETE /users/:id/deep/:d/last/:z',
  'GET /',
  'GET /api/posts/:post',
  'GET /one, /two',
  'GET /users/:id/posts/:post',
  'POST /orders',
  'PUT /api/posts/:post',
  'PUT /users/:id/posts/:post',
];

const programs: Readonly<
  Record<string, { readonly text: string; readonly routes: readonly string[]; readonly isWhole: boolean }>
> = {
  'Express 5': { text: express('express'), routes: ofExpress, isWhole: true },
  'Express 4': { text: express('express4'), routes: ofExpress, isWhole: true },
  'Express with an application mounted in another': {
    text: `
      const express = require('express');
      const app = express(), inner = express();
      inner.get('/hidden', (request, response) => response.send('hidden'));
      app.get('/', (request, response) => response.send('home'));
      app.use('/inner', inner);
      app.listen(${up});`,
    routes: ['GET /'],
    isWhole: false,
  },
  Fastify: {
    text: `
      const app = require('fastify')();
      app.get('/', async () => 'home');
      app.register(async (part) => {
        part.post('/orders/:id', async () => 'made');
        part.head('/only', async () => '');
      }, { prefix: '/api' });
      app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' }, () => process.send('up'));`,
    routes: ['GET /', 'HEAD /api/only', 'POST /api/orders/:id'],
    isWhole: true,
  },
  Koa: {
    text: `
      const Koa = require('koa');
      const { Router } = require('@koa/router');
      const app = new Koa(), router = new Router({ prefix: '/api' }), posts = new Router();
      posts.get('/posts/:post', (context) => { context.body = 'post'; });
      router.get('/', (context) => { context.body = 'home'; });
      router.post('made', '/orders', (context) => { context.body = 'made'; });
      router.use('/users/:id', posts.routes());
      app.use(router.routes()).listen(${up});`,
    routes: ['GET /api', 'GET /api/users/:id/posts/:post', 'made'],
    isWhole: true,
  },
  Hono: {
    text: `
      import { createServer } from 'node:http';
      import { getRequestListener } from '@hono/node-server';
      import { Hono } from 'hono';
      const app = new Hono(), part = new Hono();
      part.get('/users/:id', (context) => context.text('user'));
      app.use('*', (context, next) => next());
      app.get('/', (context) => context.text('home'));
      app.route('/v1', part);
      app.post('/orders', (context) => context.text('made'));
      createServer(getRequestListener(app.fetch)).listen(${up});`,
    routes: ['GET /', 'GET /v1/users/:id', 'POST /orders'],
    isWhole: true,
  },
};

describe('lookback routes for a program with the flag', () => {
  for (const [name, { text, routes, isWhole }] of Object.entries(programs))
    it(`lists all routes after one request of any kind: ${name}`, async () => {
      const store = `sqlite:${join(root, `${name.replaceAll(' ', '-')}.db`)}`;
      const program = await startProgram(
        { name: text.includes('import ') ? 'app.mjs' : 'app.cjs', text },
        { isFlagged: true, store },
      );
      const folder = join(root, 'elsewhere');
      mkdirSync(folder, { recursive: true });
      const run = (...args: string[]): string =>
        spawnSync(process.execPath, [resolve('dist/bundle/cli.js'), 'routes', ...args], {
          cwd: folder,
          env: { PATH: process.env['PATH'], PROFILER_STORE: store },
          encoding: 'utf8',
        }).stdout;
      try {
        await program.ask('/');
        const shown = await until(() => {
          const out = run('--json');
          return out !== '' && (JSON.parse(out) as { route: string | null; count: number }[]); // the format that the command prints
        }, 'the routes');
        const names = shown.map(({ route }) => route).filter((route) => route !== null);
        assert.deepEqual(names.toSorted(), routes);
        const isThere = /^Routes as \S+:\d+ declared them at \S+(; others may exist)?\.$/m.exec(run());
        assert.equal(isThere?.[1] === undefined, isWhole, run());
      } finally {
        await program.close();
      }
    });
});
