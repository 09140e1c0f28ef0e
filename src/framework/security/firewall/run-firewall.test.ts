import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type ResolvedController, resolveController } from '#framework/controller';
import { createDispatcher, type Dispatcher } from '#core/events';
import { isHttpError } from '#core/errors';
import { HttpRequest, HttpResponse, requestActingUser } from '#core/http';
import {
  addKernelListeners,
  createErrorListener,
  createKernel,
  createRouterListener,
  exceptionEvent,
  viewListener,
} from '#framework/kernel';
import { createLogger } from '#core/log';
import { compileRoutes, createRoutes } from '#core/routing';
import {
  type AuthenticationError,
  type Authenticator,
  createBadge,
} from '../authentication/authenticator.js';
import type { Voter } from '../authorization/decide-access.js';
import { createSecurity, type SecurityOptions } from '../create-security.js';
import { formLogin, httpBasic } from '../login/password-logins.js';
import {
  loginSuccessEvent,
  logoutEvent,
  requestSecurity,
  switchUserEvent,
} from '../state/request-security.js';
import { createMemoryUserProvider, type SecurityUser } from '../users/user-provider.js';

const plain = {
  id: 'plain',
  hash: async (password: string) => `plain:${password}`,
  verify: async (hash: string, password: string) => hash === `plain:${password}`,
  handles: (hash: string) => hash.startsWith('plain:'),
  isOutdated: async () => false,
};

const ada: SecurityUser = { identifier: 'ada', roles: ['ROLE_ALLOWED_TO_SWITCH'], passwordHash: 'plain:a' };
const bob: SecurityUser = { identifier: 'bob', roles: [], passwordHash: 'plain:b' };

interface Sent {
  readonly body?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly acting?: SecurityUser | string;
}

/** A kernel with security only, and a browser that keeps its cookies. */
function openSite(options: Partial<SecurityOptions> = {}) {
  const users = createMemoryUserProvider([ada, bob]);
  const dispatcher: Dispatcher = createDispatcher();
  const [errors, audit]: [unknown[], string[]] = [[], []];
  const log = createLogger({
    handlers: [{ handle: ({ channel, message }) => void (channel === 'security' && audit.push(message)) }],
  });
  const security = createSecurity({
    secret: 'a secret for this test that is long enough',
    provider: users,
    hashers: [plain] as never, // a minimal hasher
    firewalls: [
      { name: 'main', authenticators: [formLogin()], logout: true, rememberMe: true, switchUser: true },
    ],
    log: () => log,
    ...options,
  });
  const whoAmI = ({ scope }: HttpRequest): string => {
    const { user, impersonator, authenticator, strength } = scope.get(requestSecurity)?.token ?? {};
    return user === undefined
      ? 'no one'
      : `${user.identifier}${impersonator === undefined ? '' : ` by ${impersonator.user.identifier}`} ${authenticator} ${strength}`;
  };
  const routes = compileRoutes(createRoutes([{ path: '/{any<.*>}', target: whoAmI }]));
  addKernelListeners(dispatcher, [
    createRouterListener({ routes: () => routes, log }),
    viewListener,
    createErrorListener({
      render: (error) => HttpResponse.text('', { status: isHttpError(error) ? error.status : 500 }),
    }),
    ...security.listeners,
  ]);
  dispatcher.on(exceptionEvent, ({ error }) => void errors.push(error), { priority: 1000 });
  const controllerOf = (): ResolvedController =>
    resolveController(whoAmI, {
      route: 'any',
      arguments: [{ name: 'request', resolve: (request) => request }],
      context: { name: 'context', resolve: () => undefined },
      instantiate: () => ({}),
    });
  const kernel = createKernel({ dispatcher, controllerOf, log });
  const cookies = new Map<string, string>();
  const send = async (
    method: string,
    target: string,
    { body, headers = {}, acting }: Sent = {},
  ): Promise<HttpResponse> => {
    const text = new URLSearchParams(body).toString();
    const fields = {
      'Sec-Fetch-Site': 'same-origin',
      ...(body !== undefined && { 'Content-Type': 'application/x-www-form-urlencoded' }),
      ...headers,
    };
    const jar = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const request = new HttpRequest({
      method,
      target,
      rawHeaders: [
        'Host',
        'site.example',
        ...Object.entries(fields).flat(),
        ...(jar === '' ? [] : ['Cookie', jar]),
      ],
      httpVersion: '1.1',
      peer: { address: '127.0.0.1', port: 1, encrypted: false },
      ...(body !== undefined && { body: { chunks: async function* () { yield Buffer.from(text); } } }), // prettier-ignore
    });
    if (acting !== undefined) request.scope.set(requestActingUser, acting);
    const response = await kernel.handle(request);
    for (const cookie of response.headers.getAll('set-cookie')) {
      const [, name = '', value = ''] = /^([^=]*)=([^;]*)/.exec(cookie) ?? [];
      if (/Max-Age=0/.test(cookie)) cookies.delete(name);
      else cookies.set(name, value);
    }
    return response;
  };
  const get = async (target: string, sent: Sent = {}): Promise<unknown> =>
    (await send('GET', target, sent)).body;
  const logIn = (username: string, password: string, more = {}): Promise<HttpResponse> =>
    send('POST', '/login', { body: { _username: username, _password: password, ...more } });
  return { users, dispatcher, security, send, get, logIn, cookies, errors, audit };
}

describe('a login by a form', () => {
  it('is remembered on request, restored when the session is gone, and ended by the next login without it', async () => {
    const { logIn, get, cookies, audit } = openSite();
    assert.equal(await get('/'), 'no one');
    assert.equal((await logIn('ada', 'a', { _remember_me: 'on' })).status, 302);
    assert.deepEqual(audit.splice(0), ['Login succeeded.']);
    assert.equal(await get('/'), 'ada form-login full');
    assert.equal(cookies.has('remember_me'), true);
    cookies.delete('session');
    assert.equal(await get('/'), 'ada remember-me remembered');
    assert.equal(cookies.has('remember_me'), true, 'the remember-me cookie is kept');
    assert.equal(await get('/'), 'ada remember-me remembered');
    await logIn('ada', 'a');
    assert.equal(cookies.has('remember_me'), false);
    assert.equal(await get('/'), 'ada form-login full');
  });

  it('fails for a wrong password, and keeps the previous login', async () => {
    const { logIn, get, audit } = openSite();
    await logIn('bob', 'b');
    audit.length = 0;
    const { headers } = await logIn('ada', 'wrong');
    assert.equal(headers.get('location'), '/login?error=credentials');
    assert.deepEqual(audit, ['Login failed.']);
    assert.equal(await get('/'), 'bob form-login full');
  });

  it('can be answered by a listener', async () => {
    const { logIn, dispatcher } = openSite();
    const seen: unknown[] = [];
    dispatcher.on(loginSuccessEvent, (event) => {
      seen.push(event.isInteractive, event.token.user.identifier);
      event.response = HttpResponse.text('welcome');
    });
    assert.equal((await logIn('ada', 'a')).body, 'welcome');
    assert.deepEqual(seen, [true, 'ada']);
  });

  it('ends when the user is no longer admitted, even if the user returns', async () => {
    const { logIn, get, users, audit } = openSite();
    await logIn('bob', 'b');
    audit.length = 0;
    users.put({ ...bob, isEnabled: false });
    assert.equal(await get('/'), 'no one');
    assert.deepEqual(audit.splice(0), ['A session was ended.']);
    assert.equal(await get('/'), 'no one');
    assert.deepEqual(audit, [], 'once');
    users.put(bob);
    assert.equal(await get('/'), 'no one');
  });
});

describe('a login with every request', () => {
  it('starts no session and keeps a remembered login', async () => {
    const authenticators = [httpBasic(), formLogin()];
    const { get, logIn, cookies } = openSite({
      firewalls: [{ name: 'main', authenticators, rememberMe: true, entryPoint: 'form-login' }],
    });
    const basic = { headers: { Authorization: `Basic ${Buffer.from('bob:b').toString('base64')}` } };
    assert.equal(await get('/', basic), 'bob http-basic full');
    assert.equal(cookies.size, 0);
    await logIn('ada', 'a', { _remember_me: 'on' });
    cookies.delete('session');
    const remembered = cookies.get('remember_me');
    assert.equal(await get('/', basic), 'bob http-basic full');
    assert.equal(cookies.get('remember_me'), remembered);
  });

  it('is refused for a disabled user, an unknown one, and an identifier that no database can store', async () => {
    const failing: AuthenticationError[] = [];
    const own: Authenticator = {
      name: 'own',
      isInteractive: false,
      supports: () => true,
      authenticate: (request) => ({
        identifier: request.query.get('name') ?? '',
        badges: [createBadge('always', async () => undefined)],
      }),
      onFailure: async (_request, error) => {
        failing.push(error);
        return HttpResponse.text('refused', { status: 401 });
      },
    };
    const { get, users } = openSite({ firewalls: [{ name: 'main', authenticators: [own] }] });
    users.put({ ...bob, isEnabled: false });
    assert.equal(await get('/?name=ada'), 'ada own full');
    for (const name of ['bob', 'none', 'a%00b', 'a%0Ab'])
      assert.equal(await get(`/?name=${name}`), 'refused', name);
    assert.deepEqual(
      failing.map(({ reason }) => reason),
      ['disabled', 'credentials', 'malformed', 'malformed'],
    );
  });
});

describe('the logout', () => {
  it('ends session and remembered login by POST, and says which data the browser must clear', async () => {
    const { logIn, send, get, dispatcher, audit } = openSite();
    const left: unknown[] = [];
    dispatcher.on(logoutEvent, ({ token }) => void left.push(token?.user.identifier));
    await logIn('ada', 'a', { _remember_me: 'on' });
    assert.equal(await get('/logout'), 'ada form-login full', 'GET does not log out');
    audit.length = 0;
    const answer = await send('POST', '/logout');
    assert.deepEqual([answer.status, answer.headers.get('location')], [302, '/']);
    assert.equal(answer.headers.get('clear-site-data'), '"cookies", "storage"');
    assert.deepEqual([left, audit], [['ada'], ['Logged out.']]);
    assert.equal(await get('/'), 'no one');
  });

  it('waits for its listeners, which may replace the response', async () => {
    const { logIn, send, dispatcher } = openSite();
    dispatcher.on(logoutEvent, async (event) => {
      await nextTurn();
      event.response = HttpResponse.text('Good bye.');
    });
    await logIn('ada', 'a');
    assert.equal((await send('POST', '/logout')).body, 'Good bye.');
  });

  it("is accepted only from this site's pages, at its own path and with its own target", async () => {
    const logout = { path: '/out', target: '/bye', clearSiteData: [] };
    const { logIn, send, get } = openSite({
      firewalls: [{ name: 'main', authenticators: [formLogin()], logout }],
    });
    await logIn('ada', 'a');
    assert.equal((await send('POST', '/out', { headers: { 'Sec-Fetch-Site': 'cross-site' } })).status, 403);
    assert.equal(await get('/'), 'ada form-login full');
    assert.equal((await send('POST', '/logout')).body, 'ada form-login full');
    const answer = await send('POST', '/out');
    assert.deepEqual(
      [answer.headers.get('location'), answer.headers.has('clear-site-data')],
      ['/bye', false],
    );
    assert.equal(await get('/'), 'no one');
  });
});

describe('switching the user', () => {
  it('acts as another user and back, by redirects without the parameter, and reports each switch once', async () => {
    const { logIn, send, get, dispatcher, audit } = openSite();
    const switched: string[] = [];
    dispatcher.on(
      switchUserEvent,
      ({ from, to }) => void switched.push(`${from.user.identifier} ${to.user.identifier}`),
    );
    await logIn('ada', 'a');
    audit.length = 0;
    const answer = await send('GET', '//x?_switch_user=bob&a=1');
    assert.deepEqual([answer.status, answer.headers.get('location')], [302, '/x?a=1']);
    assert.equal(await get('/'), 'bob by ada switch-user full');
    assert.equal((await send('GET', '/?_switch_user=')).body, 'bob by ada switch-user full');
    await send('GET', '/?_switch_user=_exit');
    assert.equal(await get('/'), 'ada form-login full');
    await send('GET', '/?_switch_user=_exit');
    assert.deepEqual(switched, ['ada bob', 'bob ada'], 'a second exit does nothing');
    assert.deepEqual(audit, ['Switched user.', 'Switched user.']);
  });

  it('is refused alike without permission, and for missing or disabled users', async () => {
    const { logIn, send, users, audit, errors } = openSite();
    assert.equal((await send('GET', '/?_switch_user=bob')).body, 'no one');
    await logIn('bob', 'b');
    assert.equal((await send('GET', '/?_switch_user=ada')).status, 403);
    await logIn('ada', 'a');
    audit.length = 0;
    assert.equal((await send('GET', '/?_switch_user=nowhere')).status, 403);
    users.put({ ...bob, isEnabled: false });
    assert.equal((await send('GET', '/?_switch_user=bob')).status, 403);
    assert.deepEqual(audit, ['Switching user refused.', 'Switching user refused.']);
    const texts = errors.map((error) => (error as Error).message); // the kernel throws HTTP errors here
    assert.deepEqual([...new Set(texts)], ['Switching to this user is not allowed.']);
  });

  it('needs an existing user, even if a voter lets everyone switch', async () => {
    const voter: Voter = { name: 'all', vote: () => ({ verdict: 'grant', reason: 'all' }) };
    const { logIn, send, get } = openSite({ voters: [voter] });
    await logIn('bob', 'b');
    assert.equal((await send('GET', '/?_switch_user=none')).status, 403);
    assert.equal(await get('/'), 'bob form-login full');
    assert.equal((await send('GET', '/?_switch_user=ada')).status, 302);
  });

  it("is accepted from this origin's pages and from the address bar", async () => {
    const { logIn, send } = openSite();
    await logIn('ada', 'a');
    const status = async (headers: Record<string, string>): Promise<number> => {
      const sent = { 'Sec-Fetch-Site': '', ...headers };
      return (await send('GET', '/?_switch_user=bob', { headers: sent })).status;
    };
    assert.equal(await status({ 'Sec-Fetch-Site': 'none' }), 302);
    assert.equal(await status({ 'Sec-Fetch-Site': 'same-origin' }), 302);
    for (const site of ['same-site', 'cross-site', ''])
      assert.equal(await status({ 'Sec-Fetch-Site': site }), 403, site);
  });
});

describe('a test that acts as a user', () => {
  it('needs no login, loads known users, and fails for an unknown identifier', async () => {
    const { get, send, errors } = openSite();
    assert.equal(await get('/', { acting: 'bob' }), 'bob test client full');
    assert.equal(await get('/', { acting: { identifier: 'new', roles: [] } }), 'new test client full');
    assert.equal(await get('/'), 'no one');
    assert.equal((await send('GET', '/', { acting: 'none' })).status, 500);
    assert.equal(Reflect.get(Object(errors[0]), 'code'), 'SECURITY_ACTING_USER_UNKNOWN');
  });
});
