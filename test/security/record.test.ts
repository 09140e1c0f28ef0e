import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { annotate, type App } from 'lookback';
import type { ControllerContext } from 'lookback/controller';
import type { ProfileRecord } from 'lookback/profiler';
import { httpBasic, isGranted, type Security } from 'lookback/security';
import type { SecuritySection } from '../../src/profiler/sections/security/section.js';
import { createGuardedApp } from './guarded-app.js';
import { local } from '../local-peer.js';

async function recordOf(
  app: App,
  target: string,
  init: RequestInit = {},
): Promise<[ProfileRecord, Response]> {
  const response = await app.fetch(target, { redirect: 'manual', ...local, ...init });
  const found = await app.profiler?.find(response.headers.get('x-debug-token') ?? '');
  assert.ok(found?.kind === 'found', `no record of ${target}`);
  return [found.record, response];
}

describe('the security record', () => {
  it('shows the user, attempts and decisions, and where the session was used', async () => {
    const holder: { security?: Security } = {};
    const { app, security } = createGuardedApp(
      undefined,
      [
        {
          path: '/visits',
          name: 'visits',
          controller: async ({ request }: ControllerContext) => {
            const session = await holder.security?.session(request);
            for (let n = 0; n < 3; n++) session?.set('visits', (session.get<number>('visits') ?? 0) + 1);
            return 'counted';
          },
        },
      ],
      { debug: true, env: 'test', profilerStore: 'memory:' },
    );
    holder.security = security;
    const body = new URLSearchParams({ _username: 'reader', _password: 'reader' });
    const headers = { 'Sec-Fetch-Site': 'same-origin' };
    const [login, answer] = await recordOf(app, '/login', { method: 'POST', body, headers });
    assert.equal(answer.status, 302);
    const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const tried = JSON.stringify(login.sections['security']);
    assert.match(tried, /"authenticator":"form-login","status":"success"/);
    assert.match(tried, /"csrf: met","password: met"/);
    assert.ok(!JSON.stringify(login).includes(cookie), 'no record contains the session id');
    const { uses: changes } = login.sections['security'] as { uses: { operation: string; key: string }[] }; // the type that the collector stores
    assert.deepEqual(
      changes.map(({ operation, key }) => `${operation} ${key}`),
      ['id changed ', 'stored _security.main'],
    );
    const changed = await (await app.fetch(`/_profiler/${login.token}?panel=security`, local)).text();
    assert.match(changed, /stored[^]*the signed-in user[^]*security/);

    const [denied] = await recordOf(app, '/admin', { headers: { cookie } });
    const shown = JSON.stringify(denied.sections['security']);
    assert.match(shown, /"granted":false,"attribute":"ROLE_ADMIN"/);
    assert.match(shown, /the user has ROLE_READER/);
    assert.match(
      denied.exception?.message ?? '',
      /^Needs ROLE_ADMIN by access rule 1 \(path \/admin\): role says deny/,
    );
    assert.equal(denied.request.user, 'reader');

    const [counted] = await recordOf(app, '/visits', { headers: { cookie } });
    const { uses } = counted.sections['security'] as {
      uses: { operation: string; key: string; count: number; file: string }[];
    };
    assert.deepEqual(
      uses.map(({ operation, key, count }) => [operation, key, count]),
      [
        ['read', 'visits', 3],
        ['write', 'visits', 3],
      ],
    );
    assert.match(uses[0]?.file ?? '', /record\.test/);

    const page = await app.fetch(`/_profiler/${denied.token}?panel=security`, local);
    const html = await page.text();
    for (const text of ['reader', 'ROLE_READER', 'form-login', 'ROLE_ADMIN', 'denied', 'main']) {
      assert.ok(html.includes(text), text);
    }
    await app.close();
  });

  it('names inherited roles, and the code that requested each decision, including granted ones', async () => {
    const holder: { security?: Security } = {};
    const asking = async function asking({ request }: ControllerContext): Promise<string> {
      const security = holder.security ?? assert.fail();
      await security.isGranted(request, 'ROLE_READER');
      await security.denyUnlessGranted(request, 'ROLE_READER');
      await security.decide(request, ({ token }) => token !== undefined);
      return 'asked';
    };
    const { app, security } = createGuardedApp(
      (options) => ({
        ...options,
        roleHierarchy: { ROLE_ADMIN: ['ROLE_EDITOR', 'ROLE_READER'], ROLE_EDITOR: ['ROLE_AUTHOR'] },
        firewalls: [{ name: 'main', stateless: true, authenticators: [httpBasic()], switchUser: true }],
      }),
      [
        { path: '/admin/asking', name: 'asking', controller: asking },
        {
          path: '/declared',
          name: 'declared',
          controller: annotate(function show() {
            return 'shown';
          }, isGranted.of('ROLE_AUTHOR')),
        },
      ],
      { debug: true, env: 'test', profilerStore: 'memory:' },
    );
    holder.security = security;
    const headers = { Authorization: `Basic ${btoa('admin:admin')}`, 'Sec-Fetch-Site': 'same-origin' };
    const sectionOf = ({ sections }: ProfileRecord): SecuritySection =>
      sections['security'] as SecuritySection; // the type that the collector stores
    const [asked] = await recordOf(app, '/admin/asking', { headers });
    const { user, decisions } = sectionOf(asked);
    assert.deepEqual(user?.roles, ['ROLE_ADMIN', 'ROLE_ALLOWED_TO_SWITCH']);
    assert.deepEqual(user.inheritedRoles?.toSorted(), ['ROLE_AUTHOR', 'ROLE_EDITOR', 'ROLE_READER']);
    assert.deepEqual(
      decisions.map(({ granted, attribute, by, location }) => [granted, attribute, by, location?.name]),
      [
        [true, 'ROLE_ADMIN', 'access rule 1 (path /admin)', undefined],
        [true, 'ROLE_READER', 'security.isGranted', 'asking'],
        [true, 'ROLE_READER', 'security.denyUnlessGranted', 'asking'],
        [true, 'policy', 'security.decide', 'asking'],
      ],
    );
    for (const { location } of decisions.slice(1)) assert.match(location?.file ?? '', /record\.test/);
    const [declared] = await recordOf(app, '/declared', { headers });
    assert.deepEqual(
      sectionOf(declared).decisions.map(({ granted, by }) => [granted, by]),
      [[true, 'isGranted of show']],
    );
    const [switched] = await recordOf(app, '/?_switch_user=reader', { headers });
    assert.deepEqual(
      sectionOf(switched).decisions.map(({ attribute, by }) => [attribute, by]),
      [['ROLE_ALLOWED_TO_SWITCH', '_switch_user of firewall main']],
    );
    for (const form of ['?panel=security', '.md?panel=security']) {
      const shown = await (await app.fetch(`/_profiler/${asked.token}${form}`, local)).text();
      for (const text of [
        'Inherited roles',
        'ROLE_AUTHOR',
        'access rule 1 (path /admin)',
        'security.isGranted in asking',
      ])
        assert.ok(shown.includes(text), `${form}: ${text}`);
    }
    await app.close();
  });
});
