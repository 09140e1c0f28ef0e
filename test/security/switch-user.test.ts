import assert from 'node:assert/strict';
import { channel } from 'node:diagnostics_channel';
import { describe, it } from 'node:test';
import { createLogger, HttpResponse, type LogRecord, type RequestAuthentication } from 'lookback';
import {
  deauthenticatedEvent,
  type DecisionFacts,
  loginFailureEvent,
  loginSuccessEvent,
  logoutEvent,
  securityChannels,
  switchUserEvent,
} from 'lookback/security';
import { createGuardedApp, reader } from './guarded-app.js';
import { Visitor } from './visitor.js';

describe('switching the user', () => {
  it('acts as someone else and switches back, with redirects that drop the parameter', async () => {
    const visitor = new Visitor(createGuardedApp().app);
    await visitor.logIn('admin', 'admin');
    const before = visitor.cookies.get('session');
    const answer = await visitor.get('/members?a=1&_switch_user=reader&b=2');
    assert.deepEqual([answer.status, answer.location], [302, '/members?a=1&b=2']);
    assert.notEqual(visitor.cookies.get('session'), before, 'a change of privileges changes the session id');
    assert.equal((await visitor.get('/')).body, '{"user":"reader"}');
    assert.equal((await visitor.get('/admin')).status, 403);
    assert.equal((await visitor.get('/?_switch_user=_exit')).location, '/');
    assert.equal((await visitor.get('/admin')).body, '{"user":"admin"}');
  });

  it('works only for permitted users, for existing users, and not from another site', async () => {
    const { app, users } = createGuardedApp();
    const plain = new Visitor(app);
    await plain.logIn('reader', 'reader');
    assert.equal((await plain.get('/?_switch_user=admin')).status, 403);
    assert.equal((await plain.get('/')).body, '{"user":"reader"}');
    const visitor = new Visitor(app);
    await visitor.logIn('admin', 'admin');
    assert.equal((await visitor.get('/?_switch_user=nobody')).status, 403);
    users.put({ ...reader, identifier: 'gone', isEnabled: false });
    assert.equal((await visitor.get('/?_switch_user=gone')).status, 403);
    const headers = { Referer: 'https://evil.example/' };
    for (const visit of [
      { site: 'cross-site' },
      { site: 'same-site' },
      { site: undefined },
      { site: undefined, headers },
      { site: undefined, headers: { Origin: 'null', Referer: 'http://localhost:8000/' } },
      { site: undefined, headers: { Referer: 'http://localhost:8001/' } },
    ])
      assert.equal((await visitor.get('/?_switch_user=reader', visit)).status, 403, JSON.stringify(visit));
    assert.equal((await visitor.get('/')).body, '{"user":"admin"}');
    assert.equal((await new Visitor(app).get('/?_switch_user=reader')).body, '{"user":null}');
  });

  it('switchUser: a link on a page of this origin and a typed URL switch the user', async () => {
    for (const visit of [
      { site: 'same-origin' },
      { site: 'none' },
      { site: undefined, headers: { Referer: 'http://localhost:8000/users?page=2' } },
      { site: undefined, headers: { Origin: 'http://localhost:8000' } },
    ]) {
      const visitor = new Visitor(createGuardedApp().app);
      await visitor.logIn('admin', 'admin');
      assert.equal((await visitor.get('/?_switch_user=reader', visit)).status, 302, JSON.stringify(visit));
    }
  });

  it('ends when the real user is no longer admitted', async () => {
    const { app, users } = createGuardedApp();
    const visitor = new Visitor(app);
    await visitor.logIn('admin', 'admin');
    await visitor.get('/?_switch_user=reader');
    users.remove('admin');
    assert.equal((await visitor.get('/')).body, '{"user":null}');
  });

  it('never redirects to another host because of its path', async () => {
    const visitor = new Visitor(createGuardedApp().app);
    await visitor.logIn('admin', 'admin');
    const { location } = await visitor.get('//evil.example/?_switch_user=reader');
    assert.equal(location, '/evil.example/');
  });
});

describe('published security events', () => {
  it('are dispatched on the application, and published on the security channel', async () => {
    const records: LogRecord[] = [];
    const log = createLogger({ handlers: [{ handle: (record) => void records.push(record) }] });
    const { app, users } = createGuardedApp((options) => ({ ...options, log: () => log }));
    const heard: string[] = [];
    app.on(
      loginSuccessEvent,
      ({ token }) => void heard.push(`in ${token.user.identifier} ${token.strength}`),
    );
    app.on(
      loginFailureEvent,
      ({ identifier, error }) => void heard.push(`failed ${identifier} ${error.detail}`),
    );
    app.on(logoutEvent, ({ token }) => void heard.push(`out ${token?.user.identifier}`));
    app.on(
      switchUserEvent,
      ({ from, to }) => void heard.push(`${from.user.identifier} as ${to.user.identifier}`),
    );
    app.on(
      deauthenticatedEvent,
      ({ identifier, reason }) => void heard.push(`ended ${identifier}: ${reason}`),
    );
    const visitor = new Visitor(app);
    await visitor.logIn('admin', 'wrong');
    await visitor.logIn('admin', 'admin');
    await visitor.get('/?_switch_user=reader');
    await visitor.post('/logout');
    await visitor.logIn('reader', 'reader');
    await visitor.get('/admin');
    users.remove('reader');
    await visitor.get('/');
    assert.deepEqual(heard, [
      'failed admin Wrong password.',
      'in admin full',
      'admin as reader',
      'out reader',
      'in reader full',
      'ended reader: the user no longer exists',
    ]);
    assert.deepEqual(
      records.map(({ channel: name, level, message }) => `${name} ${level} ${message}`),
      [
        'security warning Login failed.',
        'security info Login succeeded.',
        'security notice Switched user.',
        'security info Logged out.',
        'security info Login succeeded.',
        'security info Access denied.',
        'security notice A session was ended.',
      ],
    );
    assert.deepEqual(
      records.slice(0, 2).map(({ context }) => context),
      [
        {
          firewall: 'main',
          authenticator: 'form-login',
          address: '127.0.0.1',
          user: 'admin',
          reason: 'credentials',
          detail: 'Wrong password.',
        },
        { firewall: 'main', authenticator: 'form-login', address: '127.0.0.1', user: 'admin' },
      ],
    );
    assert.ok(!JSON.stringify(records).includes('wrong'), 'submitted passwords are not logged');
  });

  it('let a listener answer a login or a failure', async () => {
    const { app } = createGuardedApp();

    app.on(loginSuccessEvent, (event) => void (event.response = HttpResponse.text('welcome')));
    app.on(loginFailureEvent, (event) => void (event.response = HttpResponse.text('no', { status: 401 })));
    const visitor = new Visitor(app);
    assert.equal((await visitor.logIn('reader', 'x')).status, 401);
    assert.equal((await visitor.logIn('reader', 'reader')).body, 'welcome');
    assert.equal((await visitor.get('/members')).status, 200);
  });

  it('have the user, the authenticators, and every decision with its votes', async () => {
    const facts: RequestAuthentication[] = [];
    const decisions: DecisionFacts[] = [];
    const hearFacts = (fact: unknown): void => void facts.push(fact as RequestAuthentication);
    const hearDecision = (decision: unknown): void => void decisions.push(decision as DecisionFacts);
    const visitor = new Visitor(createGuardedApp().app);
    channel(securityChannels.authentication).subscribe(hearFacts);
    channel(securityChannels.decision).subscribe(hearDecision);
    try {
      await visitor.logIn('reader', 'reader');
      await visitor.get('/admin');
    } finally {
      channel(securityChannels.authentication).unsubscribe(hearFacts);
      channel(securityChannels.decision).unsubscribe(hearDecision);
    }
    const [login, denied] = facts;
    assert.deepEqual(
      login?.attempts.map(({ authenticator, status, badges }) => ({ authenticator, status, badges })),
      [
        {
          authenticator: 'form-login',
          status: 'success',
          badges: [
            { name: 'csrf', isResolved: true },
            { name: 'password', isResolved: true },
          ],
        },
      ],
    );
    assert.deepEqual(denied?.token, {
      identifier: 'reader',
      roles: ['ROLE_READER'],
      authenticator: 'form-login',
      strength: 'full',
      impersonator: undefined,
    });
    assert.deepEqual([denied.firewall, denied.entryPoint, denied.provider], ['main', 'form-login', 'memory']);
    const [decision] = decisions;
    assert.deepEqual(
      [decision?.attribute, decision?.granted, decision?.firewall],
      ['ROLE_ADMIN', false, 'main'],
    );
    assert.deepEqual(decision?.votes, [
      { voter: 'authenticated', verdict: 'abstain', reason: '' },
      { voter: 'role', verdict: 'deny', reason: 'the user has ROLE_READER' },
    ]);
    assert.doesNotThrow(() => structuredClone([facts, decisions]), 'plain data');
  });
});
