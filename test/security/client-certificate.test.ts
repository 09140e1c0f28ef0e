import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect as connectHttp2 } from 'node:http2';
import { Agent, get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type App, type Configuration, type HttpRequest, requestEvent, type RunningServer } from 'lookback';
import { clientCertificate, createMemoryUserProvider } from 'lookback/security';
import { createGuardedApp } from './guarded-app.js';
import { fingerprintOf, makeCertificate, type TestCertificate } from './make-certificate.js';

const folder = mkdtempSync(join(tmpdir(), 'lookback-certificates-'));
const authority = makeCertificate('Authority of this test');
const service = makeCertificate('127.0.0.1');
const ada = makeCertificate('Ada', { issuer: authority, email: 'ada@example.org' });
const users = createMemoryUserProvider([
  { identifier: 'ada@example.org', roles: ['ROLE_ADMIN'] },
  { identifier: 'bob', roles: [] },
]);

const strangers: Readonly<Record<string, TestCertificate | undefined>> = {
  none: undefined,
  'signed by itself': makeCertificate('bob', { email: 'ada@example.org' }),
  'signed by another authority': makeCertificate('bob', {
    issuer: makeCertificate('Authority of this test'), // the same name, another key
    email: 'ada@example.org',
  }),
  'signed by a certificate that is no authority': makeCertificate('bob', { issuer: ada }),
  'over since a minute': makeCertificate('bob', { issuer: authority, until: new Date(Date.now() - 60_000) }),
};

function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const tls = {
  cert: write('cert.pem', service.cert),
  key: write('key.pem', service.key),
  clientCa: write('ca.pem', authority.cert),
};

interface Asked {
  readonly certificate?: TestCertificate | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly agent?: Agent;
}

/** Who the service takes the client for. Of 127.0.0.1: the port is the server's. */
async function askHttp1(url: string, { certificate, headers = {}, agent }: Asked): Promise<unknown> {
  const identity = certificate === undefined ? {} : { cert: certificate.cert, key: certificate.key };
  return new Promise((resolve, reject) => {
    get(url, { ca: service.cert, ...identity, headers, agent: agent ?? new Agent() }, (answer) => {
      let body = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      answer.on('end', () => resolve(answer.statusCode === 200 ? JSON.parse(body) : answer.statusCode));
    }).on('error', reject);
  });
}

async function askHttp2(url: string, { certificate, headers = {} }: Asked): Promise<unknown> {
  const identity = certificate === undefined ? {} : { cert: certificate.cert, key: certificate.key };
  const session = connectHttp2(url, { ca: service.cert, ...identity });
  const stream = session.request({ ':path': '/', ...headers });
  let body = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
  await once(stream, 'end');
  session.destroy();
  return JSON.parse(body);
}

describe('client certificates at our own server', () => {
  let server: RunningServer;
  const seen: HttpRequest[] = [];
  const createApp = (configuration: Partial<Configuration>): App => {
    const { app } = createGuardedApp(
      (options) => ({
        ...options,
        firewalls: [
          { name: 'main', stateless: true, provider: users, authenticators: [clientCertificate()] },
        ],
      }),
      [],
      { debug: false, env: 'test', profilerStore: 'off', ...configuration },
    );
    app.on(requestEvent, ({ request }) => void seen.push(request), { priority: 1_000 });
    return app;
  };
  before(async () => {
    server = await createApp({ tls }).listen({ port: 0 });
  });
  after(async () => {
    await server.close();
    rmSync(folder, { recursive: true });
  });

  for (const [version, ask] of [
    ['HTTP/1.1', askHttp1],
    ['HTTP/2', askHttp2],
  ] as const) {
    it(`${version}: logs in whoever the authority has vouched for`, async () => {
      const url = `${server.url}/`;
      assert.deepEqual(await ask(url, { certificate: ada }), { user: 'ada@example.org' });
      const bob = makeCertificate('bob', { issuer: authority });
      assert.deepEqual(await ask(url, { certificate: bob }), { user: 'bob' });
    });

    for (const [what, certificate] of Object.entries(strangers)) {
      it(`${version}: serves a client as a stranger whose certificate is ${what}`, async () => {
        const headers = { 'X-SSL-Client-Verify': 'SUCCESS', 'X-SSL-Client-S-DN': 'CN=bob' };
        assert.deepEqual(await ask(`${server.url}/`, { certificate, headers }), { user: null });
        assert.equal(seen.at(-1)?.peer.certificate, undefined);
      });
    }
  }

  it('gives the application the fields of the certificate', async () => {
    await askHttp1(`${server.url}/`, { certificate: ada });
    const certificate = seen.at(-1)?.peer.certificate;
    assert.deepEqual(
      [...(certificate?.subject ?? [])],
      [
        ['CN', ['Ada']],
        ['emailAddress', ['ada@example.org']],
      ],
    );
    assert.equal(certificate?.fingerprint256, fingerprintOf(ada));
    assert.equal(certificate.alternativeNames, 'IP Address:127.0.0.1');
    assert.ok(certificate.validTo > Date.now());
  });

  it('takes no resumed connection of a stranger for one with a certificate', async () => {
    const agent = new Agent({ maxCachedSessions: 10 });
    for (let n = 0; n < 3; n++) assert.deepEqual(await askHttp1(`${server.url}/`, { agent }), { user: null });
    agent.destroy();
  });

  it('does not take the certificate of a trusted proxy for its visitor’s', async () => {
    const behind = await createApp({ tls, trustedProxies: ['127.0.0.1'] }).listen({ port: 0 });
    const url = `${behind.url}/`;
    assert.deepEqual(await askHttp1(url, { certificate: ada }), { user: null });
    const headers = { 'X-SSL-Client-Verify': 'SUCCESS', 'X-SSL-Client-S-DN': 'CN=bob' };
    assert.deepEqual(await askHttp1(url, { certificate: ada, headers }), { user: 'bob' });
    await behind.close();
  });

  it('a server without an authority requests no certificate, and trusts none', async () => {
    const plain = await createApp({ tls: { cert: tls.cert, key: tls.key } }).listen({ port: 0 });
    assert.deepEqual(await askHttp1(`${plain.url}/`, { certificate: ada }), { user: null });
    await plain.close();
  });

  it('a file that holds no certificate ends the start with one line', async () => {
    const clientCa = write('empty.pem', 'nothing\n');
    await assert.rejects(createApp({ tls: { ...tls, clientCa } }).listen({ port: 0 }), {
      code: 'HTTP_TLS_CLIENT_CA',
    });
  });
});
