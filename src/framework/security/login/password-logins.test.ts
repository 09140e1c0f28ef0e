import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createTrustPolicy, HttpRequest, type HttpResponse, requestRoute } from '#core/http';
import { AuthenticationError, type Authenticator } from '../authentication/authenticator.js';
import { formLogin, httpBasic, jsonLogin } from './password-logins.js';

interface Asked {
  readonly method?: string;
  readonly target?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly address?: string;
}

const trust = createTrustPolicy({ trustedProxies: ['10.0.0.1'] });

function ask({
  method = 'GET',
  target = '/',
  headers = {},
  body,
  address = '10.0.0.1',
}: Asked = {}): HttpRequest {
  const chunks = async function* (): AsyncGenerator<Uint8Array> {
    yield Buffer.from(body ?? '');
  };
  return new HttpRequest(
    {
      method,
      target,
      rawHeaders: ['Host', 'localhost', ...Object.entries(headers).flat()],
      httpVersion: '1.1',
      peer: { address, port: 1, encrypted: false },
      ...(body === undefined ? {} : { body: { chunks } }),
    },
    { trust },
  );
}

describe('a form', () => {
  const login = formLogin({
    normalize: (name) => name.trim().toLowerCase(),
    loginPath: ({ path }) => `${path.startsWith('/de') ? '/de' : ''}/login`,
    fields: { username: 'mail' },
  });
  const post = (target: string, body: string): HttpRequest =>
    ask({ method: 'POST', target, body, headers: { 'Content-Type': 'application/x-www-form-urlencoded' } });

  it('is posted to its page, and user names are normalised', async () => {
    assert.ok(login.supports(post('/login', '')) && login.supports(post('/de/login', '')));
    assert.equal(login.supports(post('/other', '')), false);
    assert.equal(login.supports(ask({ target: '/login' })), false);
    const passport = await login.authenticate(
      post('/login', 'mail=%20ADA%40Example.org&_password=x&_remember_me=on'),
    );
    assert.deepEqual([passport.identifier, passport.wantsRememberMe], ['ada@example.org', true]);
    assert.deepEqual(
      passport.badges.map(({ name }) => name),
      ['csrf', 'password'],
    );
  });

  it('is refused without a name or a password, or if one is too long', async () => {
    for (const body of [
      '',
      'mail=ada',
      'mail=&_password=x',
      '_password=x',
      `mail=${'a'.repeat(5000)}&_password=x`,
    ])
      await assert.rejects(async () => login.authenticate(post('/login', body)), { reason: 'malformed' });
  });
});

const authorized = (value: string): HttpRequest => ask({ headers: { Authorization: value } });

describe('HTTP basic', () => {
  const basic = httpBasic({ realm: 'Inner' });
  const credentials = (text: string | Uint8Array): HttpRequest =>
    authorized(`Basic ${Buffer.from(text as string).toString('base64')}`); // both are strings

  it('reads names and passwords in UTF-8, including colons in the password', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme', minLength: 1 }),
        fc.string({ unit: 'grapheme' }),
        async (name, password) => {
          const text = `${name.replaceAll(':', '').toWellFormed() || 'x'}:${password.toWellFormed()}`;
          const passport = await basic.authenticate(credentials(text));
          assert.equal(passport.identifier, text.slice(0, text.indexOf(':')));
          assert.equal(passport.isThrottled, true);
          const checked: unknown[] = [];
          const passwords = {
            check: async (_hash: unknown, given: unknown) => ({ valid: checked.push(given) > 0 }),
          };
          const user = { identifier: 'x', roles: [], passwordHash: 'hash' };
          const badge = passport.badges.find((one) => one.name === 'password');
          await badge?.check({ user, passwords } as never); // the check reads only these
          assert.deepEqual(checked, [text.slice(text.indexOf(':') + 1)]);
        },
      ),
      { examples: [['ada', ':a:b:']] },
    );
  });

  it('refuses invalid base64 and missing colons', () => {
    for (const bad of ['no colon', ':password', '', `a:${'x'.repeat(9000)}`, Uint8Array.of(0xff, 0x3a, 0x61)])
      assert.throws(
        () => basic.authenticate(credentials(bad)),
        AuthenticationError,
        String(bad).slice(0, 20),
      );
    for (const bad of ['Basic', 'Basic a b', 'Basic ===', 'Basic YTpi*'])
      if (basic.supports(authorized(bad)))
        assert.throws(() => basic.authenticate(authorized(bad)), AuthenticationError, bad);
    assert.equal(basic.challenge?.(ask()), 'Basic realm="Inner", charset="UTF-8"');
  });
});

/** The token of a user who has just logged in. */
const token = {
  user: { identifier: 'ada', roles: ['ROLE_USER'] },
  firewall: 'main',
  authenticator: 'test',
  strength: 'full',
} as const;

const answerOf = async (answer: unknown): Promise<HttpResponse> => (await answer) as HttpResponse; // authenticator results

describe("a form login's pages", () => {
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const post = (target: string, body = ''): HttpRequest =>
    ask({ method: 'POST', target, body, headers: form });
  const succeed = async (login: Authenticator, request: HttpRequest): Promise<string | undefined> =>
    (await answerOf(login.onSuccess?.(request, token))).headers.get('location');
  const fail = async (login: Authenticator, request: HttpRequest): Promise<string | undefined> =>
    (await answerOf(login.onFailure?.(request, new AuthenticationError('credentials', 'x')))).headers.get(
      'location',
    );

  it('may be posted to a path, or to whatever a function accepts', () => {
    const own = formLogin({ checkPath: '/check' });
    assert.deepEqual([own.supports(post('/check')), own.supports(post('/login'))], [true, false]);
    const chosen = formLogin({ checkPath: ({ path }) => path.endsWith('/in') });
    assert.deepEqual([chosen.supports(post('/de/in')), chosen.supports(post('/login'))], [true, false]);
    assert.equal(chosen.supports(ask({ target: '/in' })), false, 'POST only');
  });

  it('are remembered if the checkbox is ticked, in the values that browsers send', async () => {
    const login = formLogin();
    const remembers = async (field: string): Promise<unknown> =>
      (await login.authenticate(post('/login', `_username=a&_password=b${field}`))).wantsRememberMe;
    for (const value of ['on', '1', 'true', 'yes'])
      assert.equal(await remembers(`&_remember_me=${value}`), true);
    for (const field of ['', '&_remember_me=', '&_remember_me=0', '&_remember_me=off'])
      assert.equal(await remembers(field), false, field);
  });

  it('accept texts of up to 4,096 characters', async () => {
    const login = formLogin();
    const body = (length: number): string => `_username=${'a'.repeat(length)}&_password=b`;
    assert.equal((await login.authenticate(post('/login', body(4096)))).identifier.length, 4096);
    await assert.rejects(async () => login.authenticate(post('/login', body(4097))), { reason: 'malformed' });
  });

  it('lead to the target, or to the default; after a failure back, with the reason', async () => {
    assert.equal(await succeed(formLogin(), post('/login', '_target_path=%2Fa%3Fb')), '/a?b');
    assert.equal(await succeed(formLogin(), post('/login', '_target_path=%2F%2Fother')), '/');
    assert.equal(
      await succeed(formLogin({ defaultTarget: ({ path }) => `${path}/ok` }), post('/in')),
      '/in/ok',
    );
    assert.equal(await fail(formLogin(), post('/login')), '/login?error=credentials');
    assert.equal(
      await fail(formLogin({ failurePath: '/no?a=1' }), post('/login')),
      '/no?a=1&error=credentials',
    );
    const challenge = await answerOf(
      formLogin({ loginPath: '/in' }).challenge?.(ask({ target: '/secret?x=1' })),
    );
    assert.equal(challenge.headers.get('location'), '/in');
    assert.match(challenge.headers.get('set-cookie') ?? '', /login_target=%2Fsecret%3Fx%3D1/);
  });
});

describe('a JSON login', () => {
  const post = (body: string, type = 'application/json', target = '/login'): HttpRequest =>
    ask({ method: 'POST', target, body, headers: { 'Content-Type': type } });

  it('accepts JSON by POST at its path', () => {
    const login = jsonLogin();
    assert.equal(login.supports(post('{}')), true);
    assert.equal(jsonLogin({ path: '/api/in' }).supports(post('{}', 'application/json', '/api/in')), true);
    for (const other of [
      post('{}', 'text/plain'),
      post('{}', 'application/json', '/in'),
      ask({ target: '/login', headers: { 'Content-Type': 'application/json' } }),
    ])
      assert.equal(login.supports(other), false);
  });

  it('reads name, password and whether to remember, for which only true counts', async () => {
    const read = async (json: unknown): Promise<unknown[]> => {
      const { identifier, badges, isThrottled, wantsRememberMe } = await jsonLogin().authenticate(
        post(JSON.stringify(json)),
      );
      return [identifier, badges.map(({ name }) => name).join(), isThrottled, wantsRememberMe];
    };
    const credentials = { username: 'ada', password: 'x' };
    assert.deepEqual(await read(credentials), ['ada', 'password', true, false]);
    assert.deepEqual(await read({ ...credentials, remember_me: true }), ['ada', 'password', true, true]);
    assert.deepEqual(await read({ ...credentials, remember_me: 'true' }), ['ada', 'password', true, false]);
    for (const bad of [
      {},
      { username: 'ada' },
      { password: 'x' },
      { ...credentials, username: 7 },
      { ...credentials, password: '' },
    ])
      await assert.rejects(read(bad), { reason: 'malformed' }, JSON.stringify(bad));
    for (const bad of [[], null, 'text', 1])
      await assert.rejects(read(bad), { status: 400 }, JSON.stringify(bad));
  });

  it('reads other shapes by key paths, none of which reaches a prototype', async () => {
    const seen: unknown[] = [];
    const login = jsonLogin({
      read({ at, json, request }) {
        seen.push(
          at('user', 'email'),
          at('user', 'toString'),
          at('user', 'email', 'length'),
          at('none', 'x'),
          at(),
        );
        assert.equal(at(), json);
        return { identifier: at('user', 'email'), password: request.path };
      },
    });
    const passport = await login.authenticate(post('{"user":{"email":"a@b"}}'));
    assert.equal(passport.identifier, 'a@b');
    assert.deepEqual(seen.slice(0, 4), ['a@b', undefined, undefined, undefined]);
  });

  it('is answered by onSuccess, otherwise by the route, otherwise with the user', async () => {
    const answered = { status: 201 };
    const custom = jsonLogin({ onSuccess: () => answered as HttpResponse }); // only passed on
    assert.equal(await custom.onSuccess?.(post('{}'), token), answered);
    const routed = post('{}');
    routed.scope.set(requestRoute, { name: 'login', path: '/login', parameters: {} });
    assert.equal(await jsonLogin().onSuccess?.(routed, token), undefined);
    const usual = await answerOf(jsonLogin().onSuccess?.(post('{}'), token));
    assert.equal(usual.body, '{"user":{"identifier":"ada","roles":["ROLE_USER"]}}');
  });

  it('that fails is answered by onFailure, otherwise with 401, or 429 and a time', async () => {
    const error = new AuthenticationError('credentials', 'wrong password');
    const answered = { status: 418 };
    const custom = jsonLogin({ onFailure: () => answered as HttpResponse }); // only passed on
    assert.equal(await custom.onFailure?.(post('{}'), error), answered);
    const usual = await answerOf(jsonLogin().onFailure?.(post('{}'), error));
    assert.deepEqual([usual.status, usual.headers.get('retry-after')], [401, undefined]);
    const body = typeof usual.body === 'string' ? usual.body : '';
    assert.deepEqual(JSON.parse(body), {
      type: 'about:blank',
      title: 'Unauthorized',
      status: 401,
      detail: error.message,
      code: 'credentials',
    });
    assert.doesNotMatch(body, /wrong password/, 'the client does not see the real cause');
    const throttled = new AuthenticationError('throttled', 'x', { retryAfter: 60 });
    const late = await answerOf(jsonLogin().onFailure?.(post('{}'), throttled));
    assert.deepEqual([late.status, late.headers.get('retry-after')], [429, '60']);
    assert.equal(late.headers.get('content-type'), 'application/problem+json');
  });
});

describe('an HTTP basic failure', () => {
  it('is 401 with the challenge, or 429 with the time to wait', () => {
    const basic = httpBasic();
    const failed = (error: AuthenticationError): unknown => {
      try {
        return basic.onFailure?.(ask(), error);
      } catch (thrown) {
        return thrown;
      }
    };
    const wrong = failed(new AuthenticationError('credentials', 'x')) as { status: number; headers: object };
    assert.equal(wrong.status, 401);
    assert.deepEqual(Object.values(wrong.headers), ['Basic realm="Secured Area", charset="UTF-8"']);
    const throttled = failed(new AuthenticationError('throttled', 'x', { retryAfter: 7 })) as typeof wrong;
    assert.equal(throttled.status, 429);
    assert.deepEqual(Object.values(throttled.headers), ['7']);
  });

  it('occurs for credentials over 8,192 characters', async () => {
    const of = (length: number): HttpRequest =>
      authorized(`Basic ${Buffer.from(`a:${'x'.repeat(length - 2)}`).toString('base64')}`);
    assert.equal((await httpBasic().authenticate(of(8192))).identifier, 'a');
    assert.throws(() => httpBasic().authenticate(of(8193)), AuthenticationError);
  });
});
