import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startProgram } from './flagged-program.js';

const up = `Number(process.env.PORT), '127.0.0.1', () => process.send('up')`;

/** Requests each path, and compares the recorded routes. */
async function assertRoutes(
  { name, text, renamed }: Parameters<typeof startProgram>[0],
  expected: readonly (readonly [path: string, route: string | undefined])[],
): Promise<void> {
  const program = await startProgram({ name, text, ...(renamed && { renamed }) }, { isFlagged: true });
  try {
    for (const [path, route] of expected) {
      const record = await (await program.ask(path)).record();
      assert.equal(record.route?.name ?? undefined, route, path);
    }
  } finally {
    await program.close();
  }
}

const express = (name: string, listen = 'app'): string => `
  const express = require('${name}');
  const { createServer } = require('node:http');
  const app = express();
  const posts = express.Router({ mergeParams: true });
  const deep = express.Router();
  deep.get('/last/:z', (request, response) => response.send('last'));
  posts.get('/posts/:post', (request, response) => response.send('post'));
  posts.route('/route/:x').get((request, response) => response.send('route'));
  posts.use('/deep/:d', (request, response, next) => setTimeout(next, 1), deep);
  app.use('/users', (request, response, next) => next());
  app.use('/users/:id', (request, response, next) => next());
  app.use('/users/:id', posts);
  app.use(['/left/:a', '/right/:b'], posts);
  app.use(/^\\/number\\/(\\d+)/, posts);
  app.use(/\\/digits\\/\\d+/, posts);
  const tenant = express();
  tenant.use('/inner/:t', posts);
  tenant.get('/home', (request, response) => response.send('home'));
  app.use('/tenants/:tenant', tenant);
  app.use('/', posts);
  createServer(${listen}).listen(${up});`;

const expressRoutes = [
  ['/users/1/posts/7', 'GET /users/:id/posts/:post'],
  ['/users/a%20b/posts/8', 'GET /users/:id/posts/:post'],
  ['/Users/users/posts/posts', 'GET /users/:id/posts/:post'],
  ['/users/1/route/2', 'GET /users/:id/route/:x'],
  ['/users/1/deep/2/last/3', 'GET /users/:id/deep/:d/last/:z'],
  ['/left/1/posts/2', 'GET /left/:a/posts/:post'],
  ['/right/1/posts/2', 'GET /right/:b/posts/:post'],
  ['/number/12/posts/2', 'GET /^\\/number\\/(\\d+)//posts/:post'],
  ['/number/77/posts/3', 'GET /^\\/number\\/(\\d+)//posts/:post'],
  ['/digits/1/posts/2', 'GET /\\/digits\\/\\d+//posts/:post'],
  ['/tenants/acme/home', 'GET /tenants/:tenant/home'],
  ['/tenants/other/inner/9/posts/1', 'GET /tenants/:tenant/inner/:t/posts/:post'],
  ['/posts/3', 'GET /posts/:post'],
  ['/nowhere', undefined],
] as const;

describe('routes of applications under the flag', () => {
  for (const name of ['express', 'express4'])
    it(`have the patterns of all mount points: ${name}`, () =>
      assertRoutes({ name: 'app.cjs', text: express(name) }, expressRoutes));

  it('have them from the first request on, even if Express is installed under another name and its application is called as a function', () =>
    assertRoutes(
      { name: 'app.cjs', text: express('express4', '(request, response) => app(request, response)') },
      expressRoutes.slice(0, 2),
    ));

  it('have the patterns of mounted applications: Hono', () =>
    assertRoutes(
      {
        name: 'app.mjs',
        text: `
          import { createServer } from 'node:http';
          import { getRequestListener } from '@hono/node-server';
          import { Hono } from 'hono';
          const inner = new Hono(), middle = new Hono(), part = new Hono(), app = new Hono();
          inner.get('/ok/:id', (context) => context.text('ok'));
          inner.get('/', (context) => context.text('root'));
          middle.mount('/deep', inner.fetch);
          part.get('/users/:id', (context) => context.text('user'));
          app.use('*', (context, next) => next());
          app.mount('/api', inner.fetch);
          app.mount('/t/:tenant', inner.fetch);
          app.mount('/m', middle.fetch);
          app.route('/v1', part);
          app.get('/call', async (context) => context.text(await (await app.request('/v1/users/7')).text()));
          app.get('/same', async (context) => context.text(await (await app.request('/v1/users/7', {}, context.env)).text()));
          createServer(getRequestListener(app.fetch)).listen(${up});`,
      },
      [
        ['/api/ok/7', 'GET /api/ok/:id'],
        ['/api', 'GET /api'],
        ['/t/acme/ok/7', 'GET /t/:tenant/ok/:id'],
        ['/m/deep/ok/1', 'GET /m/deep/ok/:id'],
        ['/v1/users/3', 'GET /v1/users/:id'],
        ['/call', 'GET /call'],
        ['/same', 'GET /same'],
        ['/nowhere', undefined],
      ],
    ));

  it('are found in a Hono application that answered a request before its server listens', () =>
    assertRoutes(
      {
        name: 'app.mjs',
        text: `
          import { createServer } from 'node:http';
          import { getRequestListener } from '@hono/node-server';
          import { Hono } from 'hono';
          const app = new Hono(), other = new Hono();
          app.get('/users/:id', (context) => context.text('user'));
          app.get('/list', (context) => context.text('list'));
          other.get('/other', (context) => context.text('other'));
          await app.request('/users/1');
          await other.request('/other');
          createServer(getRequestListener(app.fetch)).listen(${up});`,
      },
      [
        ['/users/7', 'GET /users/:id'],
        ['/list', 'GET /list'],
      ],
    ));

  it('have their base path: h3 1', () =>
    assertRoutes(
      {
        name: 'app.mjs',
        text: `
          import { createServer } from 'node:http';
          import { writeFileSync } from 'node:fs';
          import { createApp, createRouter, eventHandler, toNodeListener, useBase } from 'h3';
          const app = createApp(), users = createRouter(), outer = createRouter();
          users.get('/users/:id', eventHandler(() => 'user'));
          outer.get('/own/:id', eventHandler(() => 'own'));
          outer.get('/all/**', useBase('/all', eventHandler((event) => event.path)));
          outer.use('/o/:tenant/**', eventHandler((event) =>
            useBase('/o/' + event.context.params.tenant, users.handler)(event)));
          app.use('/api', useBase('/api', users.handler));
          app.use('/plain', users);
          app.use(outer);
          createServer(toNodeListener(app)).listen(${up});`,
        renamed: { from: 'h3v1', to: 'h3' },
      },
      [
        ['/api/users/7?x=1', 'GET /api/users/:id'],
        ['/plain/users/7', 'GET /plain/users/:id'],
        ['/o/acme/users/7', 'GET /o/:tenant/users/:id'],
        ['/o/other/users/7', 'GET /o/:tenant/users/:id'],
        ['/own/3', 'GET /own/:id'],
        ['/all/parts', 'GET /all/**'],
      ],
    ));

  it('have all prefixes: Koa and Fastify', async () => {
    await assertRoutes(
      {
        name: 'koa.cjs',
        text: `
          const Koa = require('koa');
          const Router = require('@koa/router');
          const app = new Koa();
          const outer = new Router({ prefix: '/a/:tenant' }), inner = new Router({ prefix: '/b' });
          inner.get('/c/:id', (context) => { context.body = 'x'; });
          outer.use('/n', inner.routes());
          app.use(outer.routes());
          require('node:http').createServer(app.callback()).listen(${up});`,
      },
      [['/a/1/n/b/c/7', 'GET /a/:tenant/n/b/c/:id']],
    );
    await assertRoutes(
      {
        name: 'fastify.cjs',
        text: `
          const app = require('fastify')();
          app.register(async (outer) => {
            outer.register(async (inner) => inner.get('/y/:z', async () => 'y'), { prefix: '/deep/:d' });
          }, { prefix: '/pre/:p' });
          app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' }).then(() => process.send('up'));`,
      },
      [['/pre/1/deep/2/y/3', 'GET /pre/:p/deep/:d/y/:z']],
    );
  });

  it('are those of services, with their methods, in Feathers', async () => {
    const program = await startProgram(
      {
        name: 'app.cjs',
        text: `
          const express = require('express');
          class Messages { async get(id) { return id; } async find() { return []; } }
          const service = new Messages();
          const app = express();
          app.use((request, response, next) => {
            const [, user, id] = /^\\/users\\/(\\w+)\\/messages(?:\\/(\\w+))?$/.exec(request.path) ?? [];
            if (user === undefined) return next();
            request.lookup = { service, params: id === undefined ? { user } : { user, __id: id } };
            response.hook = { path: 'users/:user/messages', method: id === undefined ? 'find' : 'get' };
            service[response.hook.method](id).then((found) => response.json(found));
          });
          app.listen(${up});`,
      },
      { isFlagged: true },
    );
    try {
      for (const [path, route, controller] of [
        ['/users/3/messages', 'GET /users/:user/messages', 'Messages.find'],
        ['/users/4/messages/7', 'GET /users/:user/messages/:__id', 'Messages.get'],
        ['/nowhere', undefined, undefined],
      ]) {
        const record = await (await program.ask(path ?? '')).record();
        assert.deepEqual([record.route?.name ?? undefined, record.controller?.name], [route, controller]);
      }
    } finally {
      await program.close();
    }
  });
});
