import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as sendHttp1 } from 'node:http';
import { connect, type ClientHttp2Session } from 'node:http2';
import { Agent, request as sendHttps } from 'node:https';
import { generateKeyPairSync } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { jwtVerify, SignJWT } from 'jose';
import { type App, type AppOptions, createApp, HttpResponse, type RunningServer } from 'lookback';
import {
  accessToken,
  createMemoryUserProvider,
  createSecurity,
  createSignedCookies,
  hashToken,
  jsonLogin,
  opaqueTokens,
  randomToken,
} from 'lookback/security';
import { cheapHasher, secret, whoAmI } from './guarded-app.js';

const people = ['ada', 'bob', 'cleo', 'dan'];

/** An API whose users log in with a password, and get tokens and keys. */
async function createApi(tls?: NonNullable<AppOptions['configuration']>['tls']): Promise<App> {
  const passwordHash = await cheapHasher.hash('open sesame');
  const provider = createMemoryUserProvider(
    people.map((identifier) => ({ identifier, roles: [], passwordHash })),
  );
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const names = { issuer: 'https://api.example', audience: 'api' };
  const owners = new Map<string, { identifier: string }>();
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
          accessToken({
            handler: {
              name: 'JWT',
              findOwner: (token) =>
                jwtVerify(token, publicKey, { algorithms: ['EdDSA'], ...names }).then(
                  ({ payload }) => ({ identifier: payload.sub ?? '' }),
                  () => undefined,
                ),
            },
            scheme: 'Token',
          }),
          accessToken({ handler: opaqueTokens((hash) => owners.get(hash)), header: 'X-API-Key' }),
        ],
      },
      {
        name: 'main',
        authenticators: [
          jsonLogin({
            read: ({ at }) => ({ identifier: at('user', 'name'), password: at('user', 'password') }),
          }),
        ],
      },
    ],
    accessControl: [{ path: '/', allow: 'IS_AUTHENTICATED' }],
  });
  const limits = { keepAliveTimeout: 60_000 }; // hashing one person's passwords may take seconds
  const configuration = { profilerStore: 'off', debug: false, tls } as const;
  const app = createApp({ configuration, limits, logHandlers: [], security });
  app.get('/api/me', whoAmI);
  app.post('/tokens', async ({ request, user }) => {
    assert.ok(user);
    (await security.session(request)).flash('success', `Hello ${user.identifier}.`);
    const key = randomToken();
    owners.set(hashToken(key), { identifier: user.identifier });
    const token = await new SignJWT()
      .setProtectedHeader({ alg: 'EdDSA' })
      .setIssuer(names.issuer)
      .setAudience(names.audience)
      .setSubject(user.identifier)
      .setExpirationTime('15m')
      .sign(privateKey);
    const response = HttpResponse.json({ token, key });
    cookies.set(request, response, { name: 'last', value: user.identifier });
    return response;
  });
  app.get('/messages', async ({ request }) => ({
    messages: (await security.session(request)).takeFlashes('success'),
    last: cookies.get(request, 'last') ?? null,
  }));
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

/** A client with a cookie jar, over any transport. */
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

/** Everything that one user does: a login, a token, a key, a message. */
async function live(send: Send, name: string): Promise<void> {
  const ask = createClient(send);
  const me = async (headers: Record<string, string>): Promise<string> =>
    (await ask('GET', '/api/me', { headers })).body;
  assert.equal((await ask('POST', '/tokens')).status, 401, 'not logged in');
  const full = await ask('POST', '/login', { json: { user: { name, password: 'open sesame' } } });
  assert.equal(full.body, `{"user":{"identifier":"${name}","roles":[]}}`);
  const tokens = JSON.parse((await ask('POST', '/tokens')).body) as { token: string; key: string };
  assert.equal(await me({ authorization: `Token ${tokens.token}` }), `{"user":"${name}"}`);
  assert.equal(await me({ 'x-api-key': tokens.key }), `{"user":"${name}"}`);
  assert.equal((await ask('GET', '/api/me')).status, 401, 'the API does not accept the session');
  const first = await ask('GET', '/messages');
  assert.deepEqual(JSON.parse(first.body), { messages: [`Hello ${name}.`], last: name });
  assert.deepEqual(JSON.parse((await ask('GET', '/messages')).body), { messages: [], last: name });
}

describe('people over the wire', () => {
  const tls = { cert: 'test/fixtures/tls/cert.pem', key: 'test/fixtures/tls/key.pem' };
  const agent = new Agent({ rejectUnauthorized: false, keepAlive: true });
  let plain: RunningServer;
  let secure: RunningServer;
  let session: ClientHttp2Session;
  before(async () => {
    plain = await (await createApi()).listen({ port: 0 });
    secure = await (await createApi(tls)).listen({ port: 0 });
    session = connect(secure.url, { rejectUnauthorized: false });
  });
  after(async () => {
    session.destroy();
    agent.destroy();
    await Promise.all([plain, secure].map((server) => server.close()));
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

  it('HTTP/1.1: two users are kept apart', () => both(overHttp1(() => plain)));

  it('HTTPS: two users are kept apart', () => both(overHttp1(() => secure)));

  it('HTTP/2: two users are kept apart over one connection', async () => {
    const send: Send = async ({ method, path, headers, body }) => {
      const stream = session.request({ ':method': method, ':path': path, ...headers });
      stream.end(body);
      const [answer] = (await once(stream, 'response')) as [Record<string, unknown>]; // node:http2 provides the headers
      let text = '';
      for await (const chunk of stream.setEncoding('utf8')) text += String(chunk);
      const cookies = (answer['set-cookie'] ?? []) as readonly string[]; // always a list
      return { status: Number(answer[':status']), cookies, body: text };
    };
    await both(send, ['cleo', 'dan']);
  });

  it('app.fetch: two users are kept apart', async () => {
    const app = await createApi();
    await both(async ({ method, path, headers, body }) => {
      const init = { method, headers, ...(body === undefined ? {} : { body }) };
      const answer = await app.fetch(path, init);
      return { status: answer.status, cookies: answer.headers.getSetCookie(), body: await answer.text() };
    });
    await app.close();
  });
});
