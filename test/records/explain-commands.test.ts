import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';

const cli = resolve('dist/bundle/cli.js');

const program = `
import { annotate, createApp, defineEvent, exceptionEvent, requestEvent } from 'lookback';
import { createMemoryUserProvider, createSecurity, formLogin, httpBasic, isGranted } from 'lookback/security';
const provider = createMemoryUserProvider([]);
const security = createSecurity({
  provider,
  firewalls: [
    { name: 'api', path: '/api', stateless: true, authenticators: [httpBasic()] },
    { name: 'main', authenticators: [formLogin()], logout: true },
  ],
  accessControl: [
    { path: '/admin', allow: ['ROLE_ADMIN', 'ROLE_OWNER'], scheme: 'https' },
    { path: '/login', allow: 'PUBLIC_ACCESS' },
  ],
});
export const app = createApp({ security, configuration: { env: 'dev', debug: true, profilerStore: 'memory:' } });
app.on(requestEvent, function ownListener() {}, { priority: 7 });
app.on(exceptionEvent, () => undefined, { name: 'own errors' });
app.on(defineEvent('order.paid'), () => undefined, { name: 'send mail' });
app.get('/admin/{id}', annotate(() => 'x', isGranted.of('edit')), { name: 'admin' });
app.get('/api/items', () => 'x', { name: 'items' });
export const bare = createApp({ configuration: { env: 'dev', debug: false, profilerStore: 'off' } });
bare.on(requestEvent, () => undefined, { name: 'unrecorded' });
`;

describe('commands that explain an application', () => {
  let folder = '';
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'explains-'));
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(resolve('.'), join(folder, 'node_modules', 'lookback'));
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    writeFileSync(join(folder, 'own.mjs'), program);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));
  const run = (...args: string[]): Promise<{ code: number; out: string; err: string }> =>
    new Promise((done) => {
      execFile(
        process.execPath,
        [cli, ...args],
        { cwd: folder, env: { PATH: process.env['PATH'] } },
        (error, out, err) => done({ code: error === null ? 0 : Number(error.code), out, err }),
      );
    });
  const app = ['--app', 'own.mjs'];

  it('listeners: lists all in calling order, with priority and location', async () => {
    const { code, out, err } = await run('listeners', ...app, '--json');
    assert.equal(code, 0, err);
    const all = JSON.parse(out) as {
      event: string;
      name: string;
      priority: number;
      location?: { file: string; line: number };
    }[]; // the format that it prints
    const events = [...new Set(all.map(({ event }) => event))];
    const stages = [
      'request',
      'controller_arguments',
      'view',
      'response',
      'exception',
      'finish_request',
      'terminate',
    ];
    assert.deepEqual(events, [...stages, 'order.paid']);
    const request = all.filter(({ event }) => event === 'request');
    const priorities = request.map(({ priority }) => priority);
    assert.deepEqual(
      priorities,
      priorities.toSorted((a, b) => b - a),
    );
    const own = request.find(({ name }) => name === 'ownListener');
    assert.equal(own?.priority, 7);
    assert.match(own.location?.file ?? '', /own\.mjs$/);
    for (const name of ['router', 'firewall', 'validate request'])
      assert.ok(
        request.some((one) => one.name === name),
        name,
      );
  });

  it("listeners: lists one event, even the application's own, even without records; an unknown event is an error", async () => {
    const exception = await run('listeners', 'exception', ...app);
    assert.equal(exception.code, 0, exception.err);
    assert.match(exception.out, /own errors +own\.mjs:\d+/);
    assert.match(exception.out, /error page/);
    assert.doesNotMatch(exception.out, /router/);
    assert.match((await run('listeners', 'order.paid', ...app)).out, /send mail/);
    assert.match((await run('listeners', 'request', '--app', 'own.mjs#bare')).out, /unrecorded/);
    const none = await run('listeners', 'nope', ...app);
    assert.equal(none.code, 1);
    assert.match(none.err, /No listeners for "nope"\. Events with listeners: request, controller_arguments/);
  });

  it('firewall: shows firewall, rule, entry point, controller requirements, and passed checks', async () => {
    const admin = await run('firewall', '/admin/7', ...app);
    assert.equal(admin.code, 0, admin.err);
    for (const text of [
      /Firewall +main \(secured, with a session\)/,
      /Skipped firewalls +api/,
      /Entry point +form-login/,
      /Access rule +1 \(path \/admin\)/,
      /It requires one of +ROLE_ADMIN, ROLE_OWNER/,
      /It redirects to +https/,
      /The controller requires +edit/,
      /Route +admin/,
    ])
      assert.match(admin.out, text);
    assert.doesNotMatch((await run('firewall', '/admin/7', '--https', ...app)).out, /redirects/);
    const api = JSON.parse((await run('firewall', '/api/items', '--json', ...app)).out) as Record<
      string,
      unknown
    >; // the format that it prints
    assert.deepEqual(
      [api['firewall'], api['isStateless'], api['rule'], api['route']],
      ['api', true, undefined, 'items'],
    );
    assert.match(
      (await run('firewall', '/login', ...app)).out,
      /Access rule +2 \(path \/login\)[^]*PUBLIC_ACCESS/,
    );
    const logout = await run('firewall', '/logout', '--method', 'post', ...app);
    assert.match(logout.out, /Answered by the firewall +logout/);
    const login = await run('firewall', '/login', '--method', 'POST', ...app);
    assert.match(login.out, /Answered by the firewall +form-login/);
    assert.doesNotMatch((await run('firewall', '/login', ...app)).out, /Answered by the firewall/);
    assert.match(
      (await run('firewall', '/nowhere?a=b', ...app)).out,
      /Route +none matches[^]*Access rule +none matches/,
    );
    assert.equal((await run('firewall', '/x', '--app', 'own.mjs#bare')).code, 0);
  });

  it('firewall: is refused without a path, or with an invalid one', async () => {
    for (const args of [[], ['admin']]) {
      const { code, err } = await run('firewall', ...args, ...app);
      assert.equal(code, 2);
      assert.match(err, /Pass the path of the request/);
    }
  });
});
