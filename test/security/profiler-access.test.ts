import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createApp, HttpResponse } from 'lookback';
import type { AccessRule } from 'lookback/security';
import { createMemoryUserProvider, createSecurity, formLogin } from 'lookback/security';
import { local } from '../local-peer.js';
import { overTransports } from '../integration/web/over-transports.js';

// An application that protects everything except its login, as most do. Its developer can still open the profiler.

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

overTransports('an access rule for everything', optionsWith([{ path: '/', allow: 'ROLE_USER' }]), (bench) => {
  it("leaves the profiler's pages and scripts to its guard, and protects everything else", async () => {
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
    // For clients that the guard refuses, the path is like any other.
    assert.equal((await ask('/_profiler/toolbar.js', { headers: hidden })).status, 401);
  });

  it('runs the firewall on a profiler page', async () => {
    const { ask, app } = bench();
    const token = (await ask('/_profiler/', { headers: page })).field('x-debug-token') ?? '';
    const found = await app.profiler?.find(token);
    const events = found?.kind === 'found' ? found.record.events : [];
    const names = events.flatMap(({ listeners }) => listeners.map(({ name }) => name));
    assert.ok(names.includes('firewall'), names.join(', '));
  });
});

describe('an access rule for everything', () => {
  for (const [title, rule] of [
    ['no condition', { allow: 'ROLE_USER' }],
    ['an expression', { path: /^\/(?!login)/, allow: 'ROLE_USER' }],
    ['a function', { when: () => true, allow: 'ROLE_USER' }],
    ['another scheme', { path: '/', allow: 'PUBLIC_ACCESS', scheme: 'https' }],
  ] as const)
    it(`leaves the profiler to its guard, written with ${title}`, async () => {
      assert.deepEqual(await statusesWith([rule]), {
        profiler: 200,
        application: 'scheme' in rule ? 301 : 302,
      });
    });
});

describe('an access rule that names the profiler', () => {
  for (const [title, rule] of [
    ['path', { path: '/_profiler', allow: 'ROLE_DEVELOPER' }],
    ['expression', { path: /^\/_profiler/, allow: 'ROLE_DEVELOPER' }],
    ['route', { route: ['_profiler_home'], allow: 'ROLE_DEVELOPER' }],
  ] as const)
    it(`applies to it, written with ${title}`, async () => {
      const rules = [rule, { path: '/', allow: 'ROLE_USER' }];
      assert.deepEqual(await statusesWith(rules), { profiler: 302, application: 302 });
    });
});

async function statusesWith(
  rules: readonly AccessRule[],
): Promise<{ profiler: number; application: number }> {
  const { options, define } = optionsWith(rules)();
  const app = createApp({ logHandlers: [], ...options });
  define?.(app);
  const ask = async (path: string): Promise<number> =>
    (await app.fetch(path, { ...local, headers: page })).status;
  const statuses = { profiler: await ask('/_profiler/'), application: await ask('/admin') };
  await app.close();
  return statuses;
}
