import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createTrustPolicy, HttpRequest } from '#http';
import { AuthenticationError } from '../authentication/authenticator.js';
import { formLogin, httpBasic } from './password-logins.js';

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

  it('is posted to its page, and names are read in one spelling', async () => {
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

  it('is refused without a name or a password, and where one is too long', async () => {
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
    authorized(`Basic ${Buffer.from(text as string).toString('base64')}`); // both are taken

  it('reads names and passwords in UTF-8, colons in the password included', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme', minLength: 1 }),
        fc.string({ unit: 'grapheme' }),
        async (name, password) => {
          const text = `${name.replaceAll(':', '').toWellFormed() || 'x'}:${password.toWellFormed()}`;
          const passport = await basic.authenticate(credentials(text));
          assert.equal(passport.identifier, text.slice(0, text.indexOf(':')));
          assert.equal(passport.isThrottled, true);
        },
      ),
    );
  });

  it('refuses what is no base64 of name and password', () => {
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
