import assert from 'node:assert/strict';
import { it } from 'node:test';
import { HttpResponse } from 'lookback';
import type { AccessRule } from 'lookback/security';
import { createMemoryUserProvider, createSecurity, formLogin } from 'lookback/security';
import { overTransports } from '../integration/web/over-transports.js';

// An application that protects everything but its login, as most do: its developer opens the profiler all the same.

const page = {
  Accept: 'text/html',
  'Sec-Fetch-Site': 'none',
  'Sec-Fetch-Mode': 'navigate',
  'Sec-Fetch-Dest': 'document',
};
const script = { 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Dest': 'script' };
const hidden = { ...script, 'Sec-Fetch-Site': 'cross-site' };

const optionsWith =
  (rules: readonly AccessRule[]): Parameters<typeof overTransports>[1] =>
  () => ({
    options: {
      configuration: { env: 'test', debug: true, profilerStore: 'memory:' },
      security: createSecurity({
        provider: createMemoryUserProvider([]),
        firewalls: [{ name: 'main', authenticators: [formLogin()] }],
        accessControl: [{ path: '/login', allow: 'PUBLIC_ACCESS' }, ...rules],
      }),
    },
    define(app) {
      app.get('/login', () => HttpResponse.html('<!doctype html><html><body><h1>Login</h1></body></html>'));
      app.get('/admin', () => 'admin');
    },
  });

for (const [title, rule] of [
  ['a path', { path: '/', allow: 'ROLE_USER' }],
  ['no condition', { allow: 'ROLE_USER' }],
  ['an expression', { path: /^\/(?!login)/, allow: 'ROLE_USER' }],
  ['a function', { when: () => true, allow: 'ROLE_USER' }],
] as const)
  overTransports(`an access rule for everything, by ${title}`, optionsWith([rule]), (bench) => {
    it('leaves the pages and scripts of the profiler to its guard, and protects all else', async () => {
      const { ask } = bench();
      const login = await ask('/login', { headers: page });
      const token = login.field('x-debug-token') ?? '';
      assert.match(login.text, /data-lookback=/);
      for (const [path, headers] of [
        ['/_profiler/', page],
        [`/_profiler/${token}`, page],
        [`/_profiler/${token}?panel=security`, page],
        [`/_profiler/${token}.json`, page],
        [`/_profiler/${token}/toolbar`, { ...script, 'Sec-Fetch-Mode': 'cors', 'Sec-Fetch-Dest': 'empty' }],
        ['/_profiler/toolbar.js', script],
        ['/_profiler/routes', page],
      ] as const)
        assert.equal((await ask(path, { headers })).status, 200, path);
      for (const [path, headers] of [
        ['/admin', page],
        ['/nothing', page],
        ['/_profilers', page],
        ['/%5Fprofiler/../admin', page],
      ] as const) {
        const answer = await ask(path, { headers });
        assert.ok(answer.status === 302 || answer.status === 400, `${path}: ${answer.status}`);
        if (answer.status === 302) assert.equal(answer.field('location'), '/login', path);
      }
      // For those whom the guard refuses, the path is one like any other.
      assert.equal((await ask('/_profiler/toolbar.js', { headers: hidden })).status, 401);
    });

    it('leaves a user in the record of a profiler page: the firewall runs on it', async () => {
      const { ask, app } = bench();
      const token = (await ask('/_profiler/', { headers: page })).field('x-debug-token') ?? '';
      const found = await app.profiler?.find(token);
      const events = found?.kind === 'found' ? found.record.events : [];
      const names = events.flatMap(({ listeners }) => listeners.map(({ name }) => name));
      assert.ok(names.includes('firewall'), names.join(', '));
    });
  });

for (const [title, rule] of [
  ['path', { path: '/_profiler', allow: 'ROLE_DEVELOPER' }],
  ['expression', { path: /^\/_profiler/, allow: 'ROLE_DEVELOPER' }],
  ['route', { route: ['_profiler_home'], allow: 'ROLE_DEVELOPER' }],
] as const)
  overTransports(
    `an access rule whose ${title} names the profiler`,
    optionsWith([rule, { path: '/', allow: 'ROLE_USER' }]),
    (bench) => {
      it('applies to it', async () => {
        const answer = await bench().ask('/_profiler/', { headers: page });
        assert.equal(answer.status, 302);
        assert.equal(answer.field('location'), '/login');
      });
    },
  );
