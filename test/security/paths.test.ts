import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { AppRoute } from 'lookback';
import type { ControllerContext } from 'lookback/controller';
import { createGuardedApp } from './guarded-app.js';
import { Visitor } from './visitor.js';

let reached: string[] = [];
const reach = (name: string) => (context: ControllerContext) => {
  reached.push(`${name} ${context.request.path}`);
  return 'reached';
};

const guardedRoutes: readonly AppRoute[] = [
  { path: '/secret', name: 'secret', controller: reach('secret') },
  { path: '/secret/list/', name: 'secret_list', controller: reach('list') },
  { path: '/secret/{id}', name: 'secret_one', controller: reach('one') },
  { path: '/secret/files/{path<.+>}', name: 'secret_files', controller: reach('files') },
  { path: '/{tenant}/secret', name: 'tenant', controller: reach('tenant') },
];

const segments = [
  'secret',
  'SECRET',
  'Secret',
  'secre%74',
  '%73ecret',
  '%2573ecret',
  'secret%2Flist',
  'secret;x=1',
  'secret%3Bx',
  'secret.',
  'secret%20',
  'secret%00',
  'secret%09',
  'secret%0a',
  'ſecret',
  '%C5%BFecret',
  'secret\\list',
  'secret%5Clist',
  'list',
  'files',
  '.',
  '..',
  '%2e',
  '%2e%2e',
  '%2E%2e',
  '.%2e',
  '',
  'x',
  'a%2Fb',
  '..%2f',
  '..;',
  '%c0%ae%c0%ae',
];

const spelling = fc
  .record({
    form: fc.constantFrom(
      '',
      '',
      '',
      'http://localhost:8000',
      'HTTP://LOCALHOST:8000',
      'http://evil.example',
    ),
    lead: fc.constantFrom('/', '/', '/', '//', '///', '/./', '/%2f'),
    parts: fc.array(fc.constantFrom(...segments), { minLength: 1, maxLength: 4 }),
    tail: fc.constantFrom('', '', '/', '//', '?x=1', '?/secret', '%2f', '#x', ';', '/.'),
  })
  .map(({ form, lead, parts, tail }) => form + lead + parts.join('/') + tail);

const method = fc.constantFrom('GET', 'GET', 'HEAD', 'POST', 'PUT', 'OPTIONS', 'get', 'PROPFIND');
const headers = fc.constantFrom<Record<string, string>>(
  {},
  {},
  { 'X-HTTP-Method-Override': 'DELETE' },
  { 'X-Original-URL': '/secret' },
  { 'X-Forwarded-Prefix': '/public' },
);

describe('router and firewall see the same path', () => {
  it('no spelling of a path, method or header lets an anonymous request reach a protected controller', async () => {
    const { app } = createGuardedApp(
      (options) => ({
        ...options,
        accessControl: [{ path: ['/secret', /^\/[^/]+\/secret(?:\/|$)/], allow: 'IS_AUTHENTICATED' }],
      }),
      guardedRoutes,
    );
    const stranger = new Visitor(app);
    let answered = 0;
    await fc.assert(
      fc.asyncProperty(method, spelling, headers, async (verb, target, extra) => {
        reached = [];
        const { status } = await stranger.send(verb, target, { headers: extra });
        assert.deepEqual(reached, [], `${verb} ${target}`);
        assert.ok(status < 500, `${verb} ${target} ${status}`);
        if (status === 302) answered++;
      }),
      { numRuns: 3000 },
    );
    assert.ok(answered > 100, `only ${answered} spellings came to the firewall`);
  });

  it("logged-in users reach them by the routes' own paths", async () => {
    const { app } = createGuardedApp(
      (options) => ({ ...options, accessControl: [{ path: '/secret', allow: 'IS_AUTHENTICATED' }] }),
      guardedRoutes,
    );
    const visitor = new Visitor(app);
    await visitor.logIn('reader', 'reader');
    for (const [target, expected] of [
      ['/secret', 'secret /secret'],
      ['/%73ecret', 'secret /secret'],
      ['/secret/list/', 'list /secret/list/'],
      ['/secret/a%20b', 'one /secret/a b'],
      ['/secret/files/a%2Fb/c', 'files /secret/files/a/b/c'],
    ]) {
      reached = [];
      await visitor.get(target ?? '');
      assert.deepEqual(reached, [expected]);
    }
  });
});
