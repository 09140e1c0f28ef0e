import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import type { ProfileRecord } from 'lookback/profiler';
import { freePort } from '../free-port.js';
import { until } from '../until.js';
import { startProgram } from './flagged-program.js';

/** The routers of LoopBack and Adonis need a hundred packages, so these files stand in for the patched ones, with the same shapes. */
const files: Readonly<Record<string, string>> = {
  'package.json': '{ "dependencies": { "@adonisjs/core": "6", "@loopback/rest": "15" } }',
  'node_modules/@loopback/rest/dist/router/routing-table.js': `
    class Users { find() {} }
    class ExternalRoute { constructor(path) { this.verb = 'get'; this.path = path; this._externalRouter = {}; this.pathParams = []; } }
    exports.RoutingTable = class RoutingTable {
      find({ url }) {
        const id = /^\\/loopback\\/users\\/(\\w+)$/.exec(url)?.[1];
        if (url.endsWith('/missing')) throw new Error('Endpoint not found.');
        if (id === undefined) return new ExternalRoute(url);
        return { verb: 'get', path: '/users/{id}', pathParams: { id }, _controllerName: 'Users', _controllerCtor: Users, _methodName: 'find' };
      }
    };`,
  'node_modules/@adonisjs/http-server/package.json': '{ "type": "module" }',
  'node_modules/@adonisjs/http-server/build/index.js': `
    class Users { show() {} }
    export class Router {
      match(url, method) {
        const [, slug] = /^\\/adonis\\/posts\\/(\\w+)$/.exec(url) ?? [];
        if (slug !== undefined) return { route: { pattern: '/posts/:slug?', handler: function showPost() {} }, params: { slug } };
        const [, id] = /^\\/adonis\\/users\\/(\\w+)$/.exec(url) ?? [];
        return id === undefined ? null : { route: { pattern: '/users/:id', handler: { reference: [Users, 'show'] } }, params: { id } };
      }
    }`,
  'app.mjs': `
    import { createServer } from 'node:http';
    import loopback from './node_modules/@loopback/rest/dist/router/routing-table.js';
    import { Router } from './node_modules/@adonisjs/http-server/build/index.js';
    const table = new loopback.RoutingTable();
    const router = new Router();
    createServer((request, response) => {
      try {
        if (request.url.startsWith('/loopback')) table.find(request);
        else router.match(request.url, request.method);
        response.end('ok');
      } catch {
        response.writeHead(404).end('missing');
      }
    }).listen(Number(process.env.PORT), '127.0.0.1', () => process.send('up'));`,
};

describe('node --import lookback/register: routers that return their match', () => {
  it('the route is the pattern, with its parameters and its controller', async (test) => {
    const folder = mkdtempSync(join(tmpdir(), 'routers-'));
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    const port = await freePort();
    const child = spawn(process.execPath, ['--import', resolve('dist/bundle/register.js'), 'app.mjs'], {
      cwd: folder,
      env: { PATH: process.env['PATH'], PORT: String(port), PROFILER_STORE: 'memory:' },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    test.after(async () => {
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
      rmSync(folder, { recursive: true, force: true });
    });
    await once(child, 'message');
    const routeOf = async (path: string): Promise<unknown[]> => {
      const { headers } = await fetch(`http://127.0.0.1:${port}${path}`);
      const record = await until(async () => {
        const page = await (
          await fetch(`http://127.0.0.1:${port}/_profiler/${headers.get('x-debug-token') ?? ''}.json`)
        ).text();
        return page.includes('"state":"complete"') && (JSON.parse(page) as ProfileRecord); // our own JSON
      });
      const parameters = record.route?.parameters.map(({ name, value }) => `${name}=${value.text}`);
      return [record.route?.name, parameters?.join(), record.controller?.name];
    };
    assert.deepEqual(await routeOf('/loopback/users/7'), ['GET /users/{id}', 'id=7', 'Users.find']);
    assert.deepEqual(
      await routeOf('/loopback/explorer'),
      [undefined, undefined, undefined],
      'a mounted path is not a route pattern',
    );
    assert.deepEqual(await routeOf('/loopback/missing'), [undefined, undefined, undefined]);
    assert.deepEqual(await routeOf('/adonis/users/8'), ['GET /users/:id', 'id=8', 'Users.show']);
    assert.deepEqual(await routeOf('/adonis/posts/new'), ['GET /posts/:slug?', 'slug=new', 'showPost']);
    assert.deepEqual(await routeOf('/adonis/nowhere'), [undefined, undefined, undefined]);
  });
});

const polka = `
const polka = require('polka');
const users = polka()
  .get('/', function listUsers(request, response) { response.end('all'); })
  .get('/:id', function checkUser(request, response, next) { next(); }, function showUser(request, response) { response.end(request.params.id); });
polka()
  .use(function outer(request, response, next) { next(); })
  .use('users', users)
  .use('api', polka().use('users', users))
  .get('books/:book', function showBook(request, response) { response.end(request.params.book); })
  .all('/any/:rest?', function answerAny(request, response) { response.end('any'); })
  .listen(Number(process.env.PORT), '127.0.0.1', () => process.send('up'));`;

describe('node --import lookback/register: Polka', () => {
  it('the route is the pattern below the paths of mounted applications, with its parameters and its last handler', async (test) => {
    const program = await startProgram({ name: 'app.cjs', text: polka }, { isFlagged: true });
    test.after(() => program.close());
    const routeOf = async (path: string): Promise<unknown[]> => {
      const answer = await program.ask(path);
      const { route, controller } = await answer.record();
      const parameters = route?.parameters.map(({ name, value }) => `${name}=${value.text}`).join();
      return [answer.text, route?.name, parameters, controller?.name];
    };
    assert.deepEqual(await routeOf('/books/7'), ['7', 'GET /books/:book', 'book=7', 'showBook']);
    assert.deepEqual(await routeOf('/users/8?page=2'), ['8', 'GET /users/:id', 'id=8', 'showUser']);
    assert.deepEqual(await routeOf('/users'), ['all', 'GET /users', '', 'listUsers']);
    assert.deepEqual(await routeOf('/api/users/9'), ['9', 'GET /api/users/:id', 'id=9', 'showUser']);
    assert.deepEqual(await routeOf('/any/thing'), ['any', 'GET /any/:rest?', 'rest=thing', 'answerAny']);
  });

  it('an unmatched path has no route, below a mounted application too', async (test) => {
    const program = await startProgram({ name: 'app.cjs', text: polka }, { isFlagged: true });
    test.after(() => program.close());
    for (const path of ['/nowhere', '/users/7/nowhere', '/api/nowhere']) {
      const answer = await program.ask(path);
      const { route, controller } = await answer.record();
      assert.deepEqual([answer.status, route, controller], [404, null, null], path);
    }
  });
});
