import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { createOAuthLogin, formLogin, type OAuthLogin } from 'lookback/security';
import { freePort } from '../free-port.js';
import { createGuardedApp, secret, whoAmI, type Guarded } from './guarded-app.js';
import {
  client,
  startForger,
  startProvider,
  visitProvider,
  type Forgery,
  type IdentityProvider,
} from './start-identity-provider.js';
import { Visitor, type Answer } from './visitor.js';

type Changes = Partial<Parameters<typeof createOAuthLogin>[0]>;
const appOrigin = 'http://localhost:8000';

/** An application whose users log in with these providers; accounts are from example.org. */
function createShop(logins: readonly OAuthLogin[]): Guarded {
  const guarded = createGuardedApp(
    (options) => ({
      ...options,
      firewalls: [
        {
          name: 'main',
          authenticators: [formLogin(), ...logins.map(({ authenticator }) => authenticator)],
          entryPoint: logins[0]?.authenticator.name ?? 'form-login',
        },
      ],
    }),
    [
      ...logins.map(({ startPath, start, authenticator }) => ({
        path: startPath,
        name: authenticator.name,
        controller: start,
      })),
      { path: '/orders', name: 'orders', controller: whoAmI },
    ],
  );
  guarded.users.put({ identifier: 'ada@example.org', roles: ['ROLE_READER'] });
  guarded.users.put({ identifier: 'bob@example.org', roles: ['ROLE_READER'] });
  return guarded;
}

function loginAt(issuer: string, users: () => Guarded, changes: Changes = {}): OAuthLogin {
  return createOAuthLogin({
    name: 'idp',
    server: issuer,
    ...client,
    secret,
    findUser: async ({ claims, userInfo }) => {
      const email = claims?.['email'] ?? (await userInfo())['email'];
      return users().users.findUser(String(email));
    },
    ...changes,
  });
}

/** Begins a login, and returns the redirect to the provider. */
async function begin(visitor: Visitor, path = '/login/idp'): Promise<URL> {
  const answer = await visitor.get(path);
  assert.equal(answer.status, 302);
  return new URL(answer.location ?? assert.fail());
}

const back = (visitor: Visitor, url: URL): Promise<Answer> =>
  visitor.get(url.pathname + url.search, { site: 'cross-site' });

/** The cookies of logins in progress. */
const loginCookies = (visitor: Visitor): string[] =>
  [...visitor.cookies].flatMap(([name, value]) => (name.startsWith('oauth_') && value !== '' ? name : []));

/** A browser with cookies per origin that follows redirects over sockets. Returns the last page and its URL. */
function createBrowser(): (url: string) => Promise<{ readonly url: string; readonly body: string }> {
  const jars = new Map<string, Map<string, string>>();
  return async (start) => {
    let url = new URL(start);
    for (let steps = 0; steps < 20; steps++) {
      const jar = jars.get(url.origin) ?? new Map<string, string>();
      jars.set(url.origin, jar);
      const Cookie = [...jar].map((pair) => pair.join('=')).join('; ');
      const headers = { Cookie, Accept: 'text/html', 'Sec-Fetch-Mode': 'navigate' }; // fetch() would replace them
      const [response] = (await once(get(url, { headers }), 'response')) as [IncomingMessage];
      const body = await text(response);
      for (const line of response.headers['set-cookie'] ?? []) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        if (/; Max-Age=0(?:;|$)/i.test(line)) jar.delete(name);
        else jar.set(name, value);
      }
      const { location } = response.headers;
      if (location === undefined) return { url: url.href, body };
      url = new URL(location, url);
    }
    return assert.fail(`redirect loop at ${url.href}`);
  };
}

describe('login with an OpenID provider, over HTTP/1.1', () => {
  it('two simultaneous browsers log in by cookies and redirects alone', async () => {
    const port = await freePort();
    const origin = `http://127.0.0.1:${port}`;
    const provider = await startProvider(['idp', 'second'].map((name) => `${origin}/login/${name}/callback`));
    const users = (): Guarded => shop;
    const shop = createShop([
      loginAt(provider.issuer, users),
      loginAt(provider.issuer, users, { name: 'second', parameters: { login_hint: 'bob' } }),
    ]);
    await shop.app.listen({ host: '127.0.0.1', port });
    try {
      const [ada, bob] = [createBrowser(), createBrowser()];
      const [first, second] = await Promise.all([
        ada(`${origin}/members?a=b`),
        bob(`${origin}/login/second?target=/orders`),
      ]);
      assert.deepEqual(first, { url: `${origin}/members?a=b`, body: '{"user":"ada@example.org"}' });
      assert.deepEqual(second, { url: `${origin}/orders`, body: '{"user":"bob@example.org"}' });
      assert.equal((await ada(`${origin}/orders`)).body, '{"user":"ada@example.org"}');
    } finally {
      await shop.app.close();
      await provider.stop();
    }
  });
});

describe('login with an OpenID provider', () => {
  let provider: IdentityProvider;
  let shop: Guarded;
  before(async () => {
    provider = await startProvider([
      ...['idp', 'second', 'public'].map((name) => `${appOrigin}/login/${name}/callback`),
      'https://shop.example/signed-in',
    ]);
    const users = (): Guarded => shop;
    shop = createShop([
      loginAt(provider.issuer, users),
      loginAt(provider.issuer, users, { name: 'second', parameters: { login_hint: 'bob' } }),
      createOAuthLogin({
        name: 'public',
        server: provider.issuer,
        clientId: 'public',
        secret,
        findUser: async (account) => shop.users.findUser(String((await account.userInfo())['email'])),
        defaultTarget: '/orders',
      }),
    ]);
  });
  after(() => provider.stop());

  it('returns to the originally requested page', async () => {
    const visitor = new Visitor(shop.app);
    assert.equal((await visitor.get('/members?a=b')).location, '/login/idp');
    const url = await begin(visitor);
    const sent = Object.fromEntries(url.searchParams);
    assert.equal(url.origin, provider.issuer);
    assert.deepEqual(
      [sent['response_type'], sent['code_challenge_method'], sent['redirect_uri']],
      ['code', 'S256', `${appOrigin}/login/idp/callback`],
    );
    const answer = await back(visitor, await visitProvider(url.href));
    assert.deepEqual([answer.status, answer.location], [302, '/members?a=b']);
    assert.equal((await visitor.get('/members')).body, '{"user":"ada@example.org"}');
    assert.deepEqual(loginCookies(visitor), [], 'the login state is gone');
  });

  it('keeps several providers and several visitors apart', async () => {
    const [ada, bob] = [new Visitor(shop.app), new Visitor(shop.app)];
    const [first, second] = await Promise.all([begin(ada, '/login/idp'), begin(bob, '/login/second')]);
    const [one, two] = await Promise.all([visitProvider(first.href), visitProvider(second.href)]);
    assert.equal((await back(ada, two)).location, '/login?error=state', "ada cannot use bob's answer");
    await Promise.all([back(ada, one), back(bob, two)]);
    assert.equal((await ada.get('/members')).body, '{"user":"ada@example.org"}');
    assert.equal((await bob.get('/members')).body, '{"user":"bob@example.org"}');
  });

  it('uses a custom callback path below the URL that the provider knows for the application', async () => {
    const redirectUri = 'https://shop.example/signed-in';
    const proxied: Guarded = createShop([
      loginAt(provider.issuer, () => proxied, { callbackPath: '/signed-in', redirectUri }),
    ]);
    const visitor = new Visitor(proxied.app);
    const url = await begin(visitor);
    assert.equal(url.searchParams.get('redirect_uri'), redirectUri);
    const callback = await visitProvider(url.href);
    assert.equal(callback.origin + callback.pathname, redirectUri);
    assert.equal((await back(visitor, callback)).location, '/');
    assert.equal((await visitor.get('/members')).body, '{"user":"ada@example.org"}');
  });

  it('is open to public clients, which PKCE protects', async () => {
    const visitor = new Visitor(shop.app);
    const answer = await back(visitor, await visitProvider((await begin(visitor, '/login/public')).href));
    assert.equal(answer.location, '/orders');
  });

  it('refuses a state from elsewhere, and keeps the login in progress', async () => {
    const visitor = new Visitor(shop.app);
    const good = await visitProvider((await begin(visitor)).href);
    for (const change of [
      (url: URL) => url.searchParams.set('state', 'x'),
      (url: URL) => url.searchParams.delete('state'),
      (url: URL) => url.searchParams.append('state', 'x'),
    ]) {
      const forged = new URL(good);
      change(forged);
      assert.equal((await back(visitor, forged)).location, '/login?error=state');
    }
    assert.equal((await back(new Visitor(shop.app), good)).location, '/login?error=state', 'another browser');
    assert.equal((await back(visitor, good)).location, '/');
  });

  it('accepts no response twice, and no code from another login', async () => {
    const visitor = new Visitor(shop.app);
    const first = await visitProvider((await begin(visitor)).href);
    const [name = ''] = loginCookies(visitor);
    const cookie = visitor.cookies.get(name) ?? assert.fail();
    await back(visitor, first);
    const again = new Visitor(shop.app);
    again.cookies.set(name, cookie);
    assert.equal((await back(again, first)).location, '/login?error=provider', 'with the cookie of then');
    const victim = new Visitor(shop.app);
    const own = await visitProvider((await begin(victim)).href);
    const foreign = await visitProvider((await begin(new Visitor(shop.app))).href);
    own.searchParams.set('code', foreign.searchParams.get('code') ?? '');
    assert.equal(
      (await back(victim, own)).location,
      '/login?error=provider',
      'PKCE: the code belongs to a different verifier',
    );
    assert.equal((await victim.get('/members')).location, '/login/idp');
  });

  it('createOAuthLogin: logins begun in two tabs of one browser both finish, each at its own page', async () => {
    const visitor = new Visitor(shop.app);
    const first = await visitProvider((await begin(visitor, '/login/idp?target=/members')).href);
    const second = await visitProvider((await begin(visitor, '/login/idp?target=/orders')).href);
    assert.equal(loginCookies(visitor).length, 2);
    assert.equal((await back(visitor, first)).location, '/members');
    assert.equal((await back(visitor, second)).location, '/orders');
    assert.deepEqual(loginCookies(visitor), []);
  });

  it('createOAuthLogin: one browser keeps the last three logins that it began', async (t) => {
    const visitor = new Visitor(shop.app);
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
    const begun: URL[] = [];
    for (let tab = 0; tab < 4; tab++) {
      begun.push(await begin(visitor));
      t.mock.timers.tick(1000);
    }
    const states = begun.map((url) => `oauth_idp_${url.searchParams.get('state')}`);
    assert.deepEqual(loginCookies(visitor).sort(), states.slice(1).sort());
  });

  it('refuses a response from another issuer (RFC 9207)', async () => {
    const visitor = new Visitor(shop.app);
    const url = await visitProvider((await begin(visitor)).href);
    assert.equal(url.searchParams.get('iss'), provider.issuer);
    url.searchParams.set('iss', 'https://evil.example');
    assert.equal((await back(visitor, url)).location, '/login?error=provider');
    const silent = new Visitor(shop.app);
    const without = await visitProvider((await begin(silent)).href);
    without.searchParams.delete('iss');
    assert.equal((await back(silent, without)).location, '/login?error=provider');
  });

  it('says why it failed: refused by the provider, or an account that does not exist here', async () => {
    const cases = [
      ['denied', 'provider'],
      ['mallory', 'credentials'],
    ] as const;
    for (const [hint, reason] of cases) {
      const visitor = new Visitor(shop.app);
      const url = await begin(visitor);
      url.searchParams.set('login_hint', hint);
      assert.equal((await back(visitor, await visitProvider(url.href))).location, `/login?error=${reason}`);
      assert.equal((await visitor.get('/members')).location, '/login/idp');
    }
  });

  it('redirects only to targets on this site', async () => {
    for (const [target, expected] of [
      ['/orders?x=1', '/orders?x=1'],
      ['//evil.example', '/'],
      ['https://evil.example', '/'],
      ['/\\evil.example', '/'],
      ['javascript:alert(1)', '/'],
    ] as const) {
      const visitor = new Visitor(shop.app);
      const url = await begin(visitor, `/login/idp?target=${encodeURIComponent(target)}`);
      assert.equal((await back(visitor, await visitProvider(url.href))).location, expected, target);
    }
  });
});

describe('login with a dishonest provider', () => {
  let forger: IdentityProvider;
  let forgery: Forgery = {};
  let shop: Guarded;
  before(async () => {
    forger = await startForger(() => forgery);
  });
  after(() => forger.stop());

  /** Runs a complete login with the nonce that the client sent, unless the forgery replaces it. */
  async function logIn(forged: (nonce: string) => Forgery): Promise<Answer> {
    forgery = {};
    shop = createShop([loginAt(forger.issuer, () => shop)]);
    const visitor = new Visitor(shop.app);
    const sent = (await begin(visitor)).searchParams;
    const nonce = sent.get('nonce') ?? '';
    const email = 'ada@example.org';
    const { claims, ...rest } = forged(nonce);
    forgery = { claims: { nonce, email, ...claims }, ...rest };
    const url = new URL(`${appOrigin}/login/idp/callback?code=c&state=${sent.get('state') ?? ''}`);
    return back(visitor, url);
  }

  it('succeeds while its claims are true', async () => {
    assert.equal((await logIn(() => ({}))).location, '/');
  });

  it('detects another nonce, issuer, audience or key, and an expired time', async () => {
    const past = Math.floor(Date.now() / 1000) - 3600;
    for (const forged of [
      { claims: { nonce: "from yesterday's login" } },
      { claims: { nonce: undefined } },
      { claims: { iss: 'https://accounts.example' } },
      { claims: { aud: 'bank' } },
      { claims: { aud: ['shop', 'bank'], azp: 'bank' } },
      { claims: { exp: past } },
      { claims: { sub: undefined } },
      { foreignKey: true },
    ])
      assert.equal((await logIn(() => forged)).location, '/login?error=provider', JSON.stringify(forged));
  });

  it('does not begin if the discovery names another issuer, or does not respond, and is tried again', async () => {
    shop = createShop([loginAt(forger.issuer, () => shop)]);
    const visitor = new Visitor(shop.app);
    forgery = { metadata: { issuer: 'https://accounts.example' } };
    assert.equal((await visitor.get('/login/idp')).status, 502);
    forgery = {};
    assert.equal((await visitor.get('/login/idp')).status, 302);
    const nobody: Guarded = createShop([loginAt(`http://127.0.0.1:${await freePort()}`, () => nobody)]);
    assert.equal((await new Visitor(nobody.app).get('/login/idp')).status, 502);
  });

  it('uses plain OAuth 2 if the scope lacks openid, with the given endpoints', async () => {
    const { issuer } = forger;
    const server = { issuer, authorization_endpoint: `${issuer}/auth`, token_endpoint: `${issuer}/token` };
    const login = loginAt(issuer, () => shop, {
      server: { ...server, jwks_uri: `${issuer}/jwks` },
      scope: 'read:user',
      findUser: ({ accessToken }) => shop.users.findUser(accessToken === 'a' ? 'ada@example.org' : ''),
    });
    shop = createShop([login]);
    forgery = {};
    const visitor = new Visitor(shop.app);
    const sent = (await begin(visitor)).searchParams;
    assert.deepEqual([sent.get('scope'), sent.get('nonce')], ['read:user', null]);
    const url = new URL(`${appOrigin}/login/idp/callback?code=c&state=${sent.get('state') ?? ''}`);
    assert.equal((await back(visitor, url)).location, '/');
  });

  it('needs a name that is valid in a path and a cookie', () => {
    for (const name of ['', 'Google', 'a/b', 'a b'])
      assert.throws(() => loginAt(forger.issuer, () => shop, { name }), { code: 'SECURITY_BAD_OPTION' });
  });
});
