import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request as sendHttp1 } from 'node:http';
import { connect, type ClientHttp2Session } from 'node:http2';
import { Agent, request as sendHttps } from 'node:https';
import { generateKeyPairSync } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type App, type AppOptions, createApp, HttpResponse, type RunningServer } from 'lookback';
import {
  accessToken,
  apiKey,
  createApiKeys,
  createExpiringApiKeyStore,
  createMemoryExpiringStore,
  createMemoryUserProvider,
  createSecurity,
  createSignedCookies,
  createTokenIssuer,
  createTotpSecret,
  type IssuedTokens,
  jsonLogin,
  totpCode,
  totpFactor,
} from 'lookback/security';
import { cheapHasher, secret, whoAmI } from './guarded-app.js';
import { makeCertificate } from './make-certificate.js';

/** Users and the secrets of their authenticator apps; a code is good once, so each way has users of its own. */
const secrets = new Map(['ada', 'bob', 'cleo', 'dan'].map((name) => [name, createTotpSecret()]));

/** An API whose users log in by a password and a code, and get tokens and keys. */
async function createApi(tls?: NonNullable<AppOptions['configuration']>['tls']): Promise<App> {
  const passwordHash = await cheapHasher.hash('open sesame');
  const provider = createMemoryUserProvider(
    [...secrets.keys()].map((identifier) => ({ identifier, roles: [], passwordHash })),
  );
  const store = createMemoryExpiringStore();
  const { privateKey } = generateKeyPairSync('ed25519');
  const names = { issuer: 'https://api.example', audience: 'api' };
  const issuer = createTokenIssuer({
    algorithm: 'EdDSA',
    key: privateKey,
    ...names,
    refresh: { store, graceSeconds: 0 },
  });
  const keys = createApiKeys({ store: createExpiringApiKeyStore(store) });
  const cookies = createSignedCookies({ secret });
  const security = createSecurity({
    provider,
    secret,
    hashers: [cheapHasher],
    firewalls: [
      {
        name: 'api',
        path: '/api',
        stateless: true,
        entryPoint: 'access-token',
        authenticators: [
          accessToken({ handler: issuer.handler, scheme: 'Token' }),
          apiKey({ handler: keys.handler }),
        ],
      },
      {
        name: 'main',
        authenticators: [
          jsonLogin({
            read: ({ at }) => ({ identifier: at('user', 'name'), password: at('user', 'password') }),
          }),
        ],
        secondFactor: totpFactor({ findSecret: ({ identifier }) => secrets.get(identifier) }),
      },
    ],
    accessControl: [
      { path: '/refresh', allow: 'PUBLIC_ACCESS' },
      { path: '/', allow: 'IS_AUTHENTICATED' },
    ],
  });
  const limits = { keepAliveTimeout: 60_000 }; // the passwords of one person may take seconds
  const configuration = { profilerStore: 'off', debug: false, tls } as const;
  const app = createApp({ configuration, limits, logHandlers: [], security });
  app.get('/api/me', whoAmI);
  app.post('/tokens', async ({ request, user }) => {
    assert.ok(user);
    (await security.session(request)).flash('success', `Hello ${user.identifier}.`);
    const response = HttpResponse.json({
      ...(await issuer.issue(user)),
      key: (await keys.create(user.identifier)).key,
    });
    cookies.set(request, response, { name: 'last', value: user.identifier });
    return response;
  });
  app.get('/messages', async ({ request }) => ({
    messages: (await security.session(request)).takeFlashes('success'),
    last: cookies.get(request, 'last') ?? null,
  }));
  app.post('/refresh', async ({ request }) => issuer.refresh(String(await request.json()), provider));
  return app;
}

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

interface Received {
  readonly status: number;
  readonly cookies: readonly string[];
  readonly body: string;
}

type Send = (sent: Sent) => Promise<Received>;

/** A client with a cookie jar, whatever its requests go over. */
function createClient(
  send: Send,
): (
  method: string,
  path: string,
  more?: { json?: unknown; headers?: Record<string, string> },
) => Promise<Received> {
  const jar = new Map<string, string>();
  return async (method, path, { json, headers = {} } = {}) => {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const received = await send({
      method,
      path,
      headers: {
        ...headers,
        ...(cookie === '' ? {} : { cookie }),
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        'sec-fetch-site': 'same-origin',
        accept: 'application/json',
      },
      body: json === undefined ? undefined : JSON.stringify(json),
    });
    for (const line of received.cookies) {
      const [pair = ''] = line.split(';');
      jar.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    return received;
  };
}

/** Everything one user does: a login in two steps, tokens, a key, a message, a refresh. */
async function live(send: Send, name: string): Promise<void> {
  const ask = createClient(send);
  const me = async (headers: Record<string, string>): Promise<string> =>
    (await ask('GET', '/api/me', { headers })).body;
  const half = await ask('POST', '/login', { json: { user: { name, password: 'open sesame' } } });
  assert.deepEqual([half.status, /"code":"second-factor"/.test(half.body)], [401, true]);
  assert.equal((await ask('POST', '/tokens')).status, 401, 'half a login is none');
  const full = await ask('POST', '/login/code', { json: { code: totpCode(secrets.get(name) ?? '') } });
  assert.equal(full.body, `{"user":{"identifier":"${name}","roles":[]}}`);
  const tokens = JSON.parse((await ask('POST', '/tokens')).body) as IssuedTokens & { key: string };
  assert.equal(await me({ authorization: `Token ${tokens.access_token}` }), `{"user":"${name}"}`);
  assert.equal(await me({ 'x-api-key': tokens.key }), `{"user":"${name}"}`);
  assert.equal((await ask('GET', '/api/me')).status, 401, 'the session is nothing to the API');
  const first = await ask('GET', '/messages');
  assert.deepEqual(JSON.parse(first.body), { messages: [`Hello ${name}.`], last: name });
  assert.deepEqual(JSON.parse((await ask('GET', '/messages')).body), { messages: [], last: name });
  const next = JSON.parse(
    (await ask('POST', '/refresh', { json: tokens.refresh_token })).body,
  ) as IssuedTokens;
  assert.equal(await me({ authorization: `token ${next.access_token}` }), `{"user":"${name}"}`);
  assert.equal((await ask('POST', '/refresh', { json: tokens.refresh_token })).status, 401, 'used before');
  assert.equal((await ask('POST', '/refresh', { json: next.refresh_token })).status, 401, 'ended with it');
}

describe('people over the wire', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lookback-people-'));
  const certificate = makeCertificate('127.0.0.1');
  const tls = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
  const agent = new Agent({ ca: certificate.cert, keepAlive: true });
  let plain: RunningServer;
  let secure: RunningServer;
  let session: ClientHttp2Session;
  before(async () => {
    writeFileSync(tls.cert, certificate.cert);
    writeFileSync(tls.key, certificate.key);
    plain = await (await createApi()).listen({ port: 0 });
    secure = await (await createApi(tls)).listen({ port: 0 });
    session = connect(secure.url, { ca: certificate.cert });
  });
  after(async () => {
    session.destroy();
    agent.destroy();
    await Promise.all([plain, secure].map((server) => server.close()));
    rmSync(folder, { recursive: true });
  });

  const both = async (send: Send, names = ['ada', 'bob']): Promise<void> => {
    await Promise.all(names.map((name) => live(send, name)));
  };
  const overHttp1 =
    (server: () => RunningServer): Send =>
    ({ method, path, headers, body }) =>
      new Promise((resolve, reject) => {
        const { url } = server();
        const send = url.startsWith('https:') ? sendHttps : sendHttp1;
        const options = { method, headers, ...(url.startsWith('https:') ? { agent } : {}) };
        const request = send(url + path, options, (answer) => {
          let text = '';
          answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
          answer.on('end', () =>
            resolve({
              status: answer.statusCode ?? 0,
              cookies: answer.headers['set-cookie'] ?? [],
              body: text,
            }),
          );
        });
        request.on('error', reject).end(body);
      });

  it('HTTP/1.1: two users live side by side', () => both(overHttp1(() => plain)));

  it('HTTPS: two users live side by side', () => both(overHttp1(() => secure)));

  it('HTTP/2: two users live side by side over one connection', async () => {
    const send: Send = async ({ method, path, headers, body }) => {
      const stream = session.request({ ':method': method, ':path': path, ...headers });
      stream.end(body);
      const [answer] = (await once(stream, 'response')) as [Record<string, unknown>]; // node:http2 gives the headers
      let text = '';
      for await (const chunk of stream.setEncoding('utf8')) text += String(chunk);
      const cookies = (answer['set-cookie'] ?? []) as readonly string[]; // always a list
      return { status: Number(answer[':status']), cookies, body: text };
    };
    await both(send, ['cleo', 'dan']);
  });

  it('app.fetch: two users live side by side', async () => {
    const app = await createApi();
    await both(async ({ method, path, headers, body }) => {
      const init = { method, headers, ...(body === undefined ? {} : { body }) };
      const answer = await app.fetch(path, init);
      return { status: answer.status, cookies: answer.headers.getSetCookie(), body: await answer.text() };
    });
    await app.close();
  });
});
