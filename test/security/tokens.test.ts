import assert from 'node:assert/strict';
import { createSecretKey, generateKeyPairSync } from 'node:crypto';
import { describe, it, mock } from 'node:test';
import fc from 'fast-check';
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify, SignJWT } from 'jose';
import type { App } from 'lookback';
import {
  accessToken,
  apiKey,
  type Authenticator,
  createApiKeys,
  createExpiringApiKeyStore,
  createMemoryExpiringStore,
  createTokenIssuer,
  type IssuedTokens,
  type TokenIssuer,
} from 'lookback/security';
import { createGuardedApp, reader, type Guarded } from './guarded-app.js';
import { Visitor } from './visitor.js';

const guardedBy = (authenticator: Authenticator): Guarded =>
  createGuardedApp((options) => ({
    ...options,
    firewalls: [{ name: 'main', authenticators: [authenticator], stateless: true }],
  }));
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const names = { issuer: 'https://shop.example', audience: 'shop-api' };

function createIssuer(changes: Partial<Parameters<typeof createTokenIssuer>[0]> = {}): TokenIssuer {
  const refresh = { store: createMemoryExpiringStore() };
  return createTokenIssuer({ algorithm: 'ES256', key: ec.privateKey, ...names, refresh, ...changes });
}

async function statusWith(app: App, token: string, scheme = 'Bearer'): Promise<number> {
  const headers = { Authorization: `${scheme} ${token}` };
  return (await new Visitor(app).get('/members', { headers })).status;
}

function refreshOf({ refresh_token: token }: IssuedTokens): string {
  return token ?? assert.fail('there is no refresh token');
}

describe('token issuer', () => {
  it('issues tokens that its handler takes, and services that know its public keys', async () => {
    const issuer = createIssuer({ accessSeconds: 60, claims: ({ roles }) => ({ roles, iss: 'somebody' }) });
    const { app } = guardedBy(accessToken({ handler: issuer.handler }));
    const tokens = await issuer.issue(reader);
    assert.equal(await statusWith(app, tokens.access_token), 200);
    assert.deepEqual([tokens.token_type, tokens.expires_in], ['Bearer', 60]);
    const { keys } = await issuer.jwks();
    const verified = await jwtVerify(tokens.access_token, createLocalJWKSet({ keys: [...keys] }), names);
    assert.deepEqual(
      [verified.payload.sub, verified.payload['roles'], verified.payload.iss],
      ['reader', ['ROLE_READER'], names.issuer],
    );
    assert.ok(!JSON.stringify(keys).includes('"d"'), 'no private member is published');
    assert.equal(keys[0]?.kid, decodeProtectedHeader(tokens.access_token).kid);
    const ids = [tokens, await issuer.issue(reader)].map(({ access_token: one }) => decodeJwt(one).jti);
    assert.equal(new Set(ids).size, 2);
  });

  it('refuses what other keys signed, what is for another service, and what is over', async () => {
    const issuer = createIssuer();
    const { app } = guardedBy(accessToken({ handler: issuer.handler }));
    const { access_token: good } = await issuer.issue(reader);
    const header = { ...decodeProtectedHeader(good), alg: 'ES256' };
    const foreign = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const forged = await new SignJWT(decodeJwt(good)).setProtectedHeader(header).sign(foreign.privateKey);
    assert.equal(await statusWith(app, forged), 401, 'our kid, another key');
    const nameless = await new SignJWT(decodeJwt(good))
      .setProtectedHeader({ alg: 'ES256' })
      .sign(ec.privateKey);
    assert.equal(await statusWith(app, nameless), 401, 'no kid');
    const other = await createIssuer({ audience: 'bank-api' }).issue(reader);
    assert.equal(await statusWith(app, other.access_token), 401, 'another audience');
    mock.timers.enable({ apis: ['Date'], now: Date.now() + 910_000 });
    try {
      assert.equal(await statusWith(app, good), 401, 'over');
    } finally {
      mock.timers.reset();
    }
    assert.equal(await statusWith(app, good), 200);
  });

  it('changes keys without refusing what the former one signed, until it is taken out', async () => {
    const next = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const { access_token: old } = await createIssuer().issue(reader);
    const both = createIssuer({ key: [next.privateKey, ec.publicKey] });
    const app = guardedBy(accessToken({ handler: both.handler })).app;
    assert.equal(await statusWith(app, old), 200);
    assert.equal(await statusWith(app, (await both.issue(reader)).access_token), 200);
    assert.equal((await both.jwks()).keys.length, 2);
    const alone = createIssuer({ key: next.privateKey });
    assert.equal(await statusWith(guardedBy(accessToken({ handler: alone.handler })).app, old), 401);
  });

  it('takes JSON Web Keys with their kid, shared secrets, Ed25519 and RSA', async () => {
    const ed = generateKeyPairSync('ed25519').privateKey;
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    const jwk = { ...ec.privateKey.export({ format: 'jwk' }), kid: '2026-11' } as const;
    for (const [algorithm, key, published] of [
      ['EdDSA', ed, 1],
      ['PS256', rsa, 1],
      ['ES256', jwk, 1],
      ['HS256', new Uint8Array(32).fill(7), 0],
      ['HS256', { kty: 'oct', k: 'A'.repeat(43), kid: 'shared' }, 0],
      ['HS512', createSecretKey(Buffer.alloc(64, 1)), 0],
    ] as const) {
      const issuer = createIssuer({ algorithm, key });
      const { access_token: token } = await issuer.issue(reader);
      assert.equal(
        await statusWith(guardedBy(accessToken({ handler: issuer.handler })).app, token),
        200,
        algorithm,
      );
      assert.equal((await issuer.jwks()).keys.length, published, algorithm);
    }
    const { access_token: named } = await createIssuer({ key: jwk }).issue(reader);
    assert.equal(decodeProtectedHeader(named).kid, '2026-11');
  });

  it('refuses keys that do not fit, and says which', async () => {
    for (const [algorithm, key] of [
      ['HS256', new Uint8Array(16)],
      ['HS256', ec.privateKey],
      ['ES256', new Uint8Array(32)],
      ['ES256', ec.publicKey],
      ['ES256', { kty: 'EC', crv: 'P-256', x: 'broken' }],
      ['ES256', []],
    ] as const) {
      await assert.rejects(createIssuer({ algorithm, key }).issue(reader), { code: 'SECURITY_BAD_OPTION' });
    }
    assert.throws(() => createIssuer({ algorithm: 'none' }), { code: 'SECURITY_BAD_OPTION' });
    await assert.rejects(
      createTokenIssuer({ algorithm: 'ES256', key: ec.privateKey, ...names }).refresh('x', {
        findUser: () => reader,
      }),
      { code: 'SECURITY_BAD_OPTION' },
    );
  });
});

describe('refresh tokens', () => {
  const provider = { findUser: (name: string) => (name === 'reader' ? reader : undefined) };

  it('work once; one that comes back ends all that came of its login, and no other login', async () => {
    const issuer = createIssuer();
    const [stolen, elsewhere] = [await issuer.issue(reader), await issuer.issue(reader)];
    const second = await issuer.refresh(refreshOf(stolen), provider);
    const third = await issuer.refresh(refreshOf(second), provider);
    assert.equal(decodeJwt(third.access_token).sub, 'reader');
    await assert.rejects(issuer.refresh(refreshOf(stolen), provider), { reason: 'theft' });
    await assert.rejects(issuer.refresh(refreshOf(third), provider), { reason: 'expired' });
    await issuer.refresh(refreshOf(elsewhere), provider);
  });

  it('two tabs that refresh at once are given the same next token, and reuse is theft after the grace', async () => {
    const issuer = createIssuer();
    mock.timers.enable({ apis: ['Date'], now: Date.now() });
    try {
      const token = refreshOf(await issuer.issue(reader));
      const tabs = await Promise.all(Array.from({ length: 8 }, () => issuer.refresh(token, provider)));
      const [second = '', ...others] = tabs.map(refreshOf);
      assert.notEqual(second, token);
      assert.ok(others.every((other) => other === second));
      mock.timers.tick(9_999);
      assert.equal(refreshOf(await issuer.refresh(token, provider)), second, 'the answer was lost');
      const third = refreshOf(await issuer.refresh(second, provider));
      assert.equal(refreshOf(await issuer.refresh(second, provider)), third);
      mock.timers.tick(10_000);
      await assert.rejects(issuer.refresh(second, provider), { reason: 'theft' });
      await assert.rejects(issuer.refresh(third, provider), { reason: 'expired' });
      const stolen = refreshOf(await issuer.issue(reader));
      const next = refreshOf(await issuer.refresh(stolen, provider));
      assert.equal(refreshOf(await issuer.refresh(stolen, provider)), next, 'by a thief who is quick');
      const gone = refreshOf(await issuer.refresh(next, provider));
      mock.timers.tick(10_001);
      await assert.rejects(
        issuer.refresh(next, provider),
        { reason: 'theft' },
        'who is found out by the one after',
      );
      await assert.rejects(issuer.refresh(gone, provider), { reason: 'expired' });
    } finally {
      mock.timers.reset();
    }
  });

  it('without a grace, of many requests with one token at once at most one is served', async () => {
    const issuer = createIssuer({ refresh: { store: createMemoryExpiringStore(), graceSeconds: 0 } });
    const token = refreshOf(await issuer.issue(reader));
    const done = await Promise.allSettled(Array.from({ length: 8 }, () => issuer.refresh(token, provider)));
    assert.equal(done.filter(({ status }) => status === 'fulfilled').length, 1);
    for (const one of done)
      if (one.status === 'fulfilled')
        await assert.rejects(issuer.refresh(refreshOf(one.value), provider), { reason: 'expired' });
  });

  it('end with the user, the password, a revocation, and their time', async () => {
    const store = createMemoryExpiringStore();
    const issuer = createIssuer({ refresh: { store, seconds: 100, absoluteSeconds: 250 } });
    const begin = async (): Promise<string> => refreshOf(await issuer.issue(reader));
    for (const user of [undefined, { ...reader, isEnabled: false }, { ...reader, passwordHash: 'new' }]) {
      const token = await begin();
      await assert.rejects(issuer.refresh(token, { findUser: () => user }), { reason: 'expired' });
      await assert.rejects(issuer.refresh(token, provider), { reason: 'expired' }, 'and for good');
    }
    const [one, two, three] = [await begin(), await begin(), await begin()];
    await issuer.revoke(one);
    await assert.rejects(issuer.refresh(one, provider), { reason: 'expired' });
    await issuer.revoke('not.known');
    await issuer.refresh(two, provider);
    await issuer.revokeUser('reader');
    await assert.rejects(issuer.refresh(three, provider), { reason: 'expired' });
    let token = await begin();
    mock.timers.enable({ apis: ['Date'], now: Date.now() });
    try {
      for (const seconds of [90, 90]) {
        mock.timers.tick(seconds * 1000);
        token = refreshOf(await issuer.refresh(token, provider));
      }
      mock.timers.tick(90_000);
      await assert.rejects(issuer.refresh(token, provider), { reason: 'expired' });
    } finally {
      mock.timers.reset();
    }
  });

  it('are refused, whatever is sent in their place', async () => {
    const issuer = createIssuer();
    const good = refreshOf(await issuer.issue(reader));
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string(), fc.string({ minLength: 190, maxLength: 400 })), async (text) => {
        await assert.rejects(issuer.refresh(text, provider), { name: 'AuthenticationError' });
        await issuer.revoke(text);
      }),
    );
    await issuer.refresh(good, provider);
  });

  it('are kept as hashes', async () => {
    const seen: string[] = [];
    const store = createMemoryExpiringStore();
    const put: typeof store.put = (key, value, options) => {
      seen.push(key, value, options.group ?? '');
      return store.put(key, value, options);
    };
    const issuer = createIssuer({ refresh: { store: { ...store, put } } });
    const first = refreshOf(await issuer.issue(reader));
    const parts = [first, refreshOf(await issuer.refresh(first, provider))].flatMap((token) =>
      token.split('.'),
    );
    for (const part of parts) assert.ok(!seen.join(' ').includes(part));
  });

  it('a login and a refresh over routes: 401 for a token that came back', async () => {
    const issuer = createIssuer({ refresh: { store: createMemoryExpiringStore(), graceSeconds: 0 } });
    const { app } = createGuardedApp(
      (options) => ({
        ...options,
        firewalls: [
          { name: 'api', stateless: true, authenticators: [accessToken({ handler: issuer.handler })] },
        ],
      }),
      [
        {
          path: '/token/refresh',
          name: 'refresh',
          methods: 'POST',
          controller: async ({ request }: { request: { json(): Promise<unknown> } }) =>
            issuer.refresh(String(await request.json()), provider),
        },
      ],
    );
    const visitor = new Visitor(app);
    const token = refreshOf(await issuer.issue(reader));
    const first = await visitor.post('/token/refresh', { json: token });
    assert.equal(first.status, 200);
    const { access_token: access } = JSON.parse(first.body) as IssuedTokens;
    assert.equal(await statusWith(app, access), 200);
    const again = await visitor.post('/token/refresh', { json: token });
    assert.deepEqual([again.status, again.header('www-authenticate')], [401, 'Bearer realm="api"']);
  });
});

describe('API keys', () => {
  const create = (): ReturnType<typeof createApiKeys> =>
    createApiKeys({ store: createExpiringApiKeyStore(createMemoryExpiringStore()), prefix: 'shop' });

  it('let their owner in until they are revoked; what is listed is no key', async () => {
    const keys = create();
    const { app } = guardedBy(apiKey({ handler: keys.handler }));
    const statusOf = async (key: string): Promise<number> =>
      (await new Visitor(app).get('/members', { headers: { 'X-API-Key': key } })).status;
    const [first, second] = [await keys.create('reader', { label: 'laptop' }), await keys.create('reader')];
    assert.match(first.key, /^shop_[0-9a-f]{24}_[\w-]{43}$/);
    assert.deepEqual([await statusOf(first.key), await statusOf(second.key)], [200, 200]);
    const listed = await keys.list('reader');
    assert.deepEqual(
      listed.map(({ label }) => label),
      ['laptop', ''],
    );
    assert.ok(!JSON.stringify(listed).includes(first.key.slice(-43)), 'the secret is stored nowhere');
    await keys.revoke('admin', first.stored.id);
    assert.equal(await statusOf(first.key), 200, 'another owner revokes nothing');
    await keys.revoke('reader', first.stored.id);
    assert.deepEqual([await statusOf(first.key), await statusOf(second.key)], [401, 200]);
    assert.deepEqual(
      (await keys.list('reader')).map(({ id }) => id),
      [second.stored.id],
    );
    assert.deepEqual(await keys.list('admin'), []);
    for (const wrong of [
      second.key.slice(0, -1),
      `${second.key}x`,
      second.key.toUpperCase(),
      second.stored.id,
      'shop__',
      second.key.replace('shop', 'key'),
      first.key.slice(0, 30) + second.key.slice(30),
    ])
      assert.equal(await statusOf(wrong), 401, wrong);
  });

  it('end when they were to end', async () => {
    const keys = create();
    const { key } = await keys.create('reader', { lifetimeSeconds: 60 });
    assert.deepEqual(
      await keys.handler.findOwner(key, new Visitor({ handle: () => assert.fail() }).request('GET', '/')),
      {
        identifier: 'reader',
      },
    );
    mock.timers.enable({ apis: ['Date'], now: Date.now() + 61_000 });
    try {
      const request = new Visitor({ handle: () => assert.fail() }).request('GET', '/');
      await assert.rejects(async () => keys.handler.findOwner(key, request), { reason: 'expired' });
    } finally {
      mock.timers.reset();
    }
  });

  it('made and revoked at once: none is lost from the list, none stays in it', async () => {
    const keys = create();
    const made = await Promise.all(Array.from({ length: 20 }, () => keys.create('reader')));
    assert.equal((await keys.list('reader')).length, 20);
    await Promise.all(made.slice(5).map(({ stored }) => keys.revoke('reader', stored.id)));
    assert.deepEqual(
      (await keys.list('reader')).map(({ id }) => id).sort(),
      made
        .slice(0, 5)
        .map(({ stored }) => stored.id)
        .sort(),
    );
  });

  it('are at most a hundred for one owner, and the prefix is a word', async () => {
    const keys = create();
    for (let n = 0; n < 100; n++) await keys.create('reader');
    await assert.rejects(keys.create('reader'), { code: 'SECURITY_TOO_MANY_API_KEYS' });
    assert.equal((await keys.list('reader')).length, 100);
    await keys.create('admin');
    const store = createExpiringApiKeyStore(createMemoryExpiringStore());
    for (const prefix of ['', 'a_b', 'é', 'x'.repeat(21)])
      assert.throws(() => createApiKeys({ store, prefix }), { code: 'SECURITY_BAD_OPTION' });
  });
});
