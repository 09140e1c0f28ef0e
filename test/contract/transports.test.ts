import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:http2';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { App } from 'lookback';
import type { ProfileRecord } from 'lookback/profiler';
import { createDemo } from '../../demo/create-demo.js';
import { isOurServer, sharedService, startService } from './service.js';
import type { Service } from './service.js';
import { ask, textOf } from './wire-client.js';

interface Answer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** A way to send a GET request to the demo. */
interface Transport {
  readonly origin: string;
  get(path: string, headers: Readonly<Record<string, string>>): Promise<Answer>;
}

const tls = join(process.cwd(), 'test/fixtures/tls');
const ca = readFileSync(join(tls, 'cert.pem'));

/** Headers of a link on another site's page, opened in a new tab. */
const fromElsewhere = {
  Accept: 'text/html',
  'Sec-Fetch-Site': 'cross-site',
  'Sec-Fetch-Mode': 'navigate',
  'Sec-Fetch-Dest': 'document',
};

const referers = [
  'https://other.example/articles?x=1',
  'http://localhost:1/from',
  'android-app://com.example',
  'not a URL',
];

async function overHttp1(url: string, path: string, headers: Record<string, string>): Promise<Answer> {
  const response = await ask(url, path, { headers });
  const pairs = [...response.headers].map(([name, values]) => [name, values.join(', ')] as const);
  return { status: response.status, headers: new Map(pairs), body: response.body };
}

async function overTls(url: string, path: string, headers: Record<string, string>): Promise<Answer> {
  const sent = request(new URL(path, url), { ca, headers, agent: false });
  const answered = new Promise<Answer>((resolve, reject) => {
    sent.once('error', reject).once('response', (response) => {
      assert.equal(response.httpVersion, '1.1');
      let body = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      const pairs = Object.entries(response.headers).map(([name, value]) => [name, String(value)] as const);
      response.once('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: new Map(pairs), body }),
      );
    });
  });
  sent.end();
  return answered;
}

async function overHttp2(url: string, path: string, headers: Record<string, string>): Promise<Answer> {
  const session = connect(url, { ca });
  try {
    const stream = session.request({ ':path': path, ...headers });
    const [received] = (await once(stream, 'response')) as [Record<string, unknown>]; // according to Node's declaration
    let body = '';
    for await (const chunk of stream.setEncoding('utf8')) body += String(chunk);
    const pairs = Object.entries(received).map(([name, value]) => [name, String(value)] as const);
    return { status: Number(received[':status']), headers: new Map(pairs), body };
  } finally {
    session.destroy();
  }
}

async function overFetch(
  app: App,
  origin: string,
  path: string,
  headers: Record<string, string>,
): Promise<Answer> {
  const response = await app.fetch(origin + path, { headers, peer: { address: '127.0.0.1' } });
  return { status: response.status, headers: new Map(response.headers), body: await response.text() };
}

describe('the not-found error, by transport', { skip: !isOurServer }, () => {
  let secure: Service;
  let app: App;
  const transports = new Map<string, Transport>();
  const folder = mkdtempSync(join(tmpdir(), 'lookback-transports-'));
  before(async () => {
    const plain = await sharedService();
    secure = await startService({ TLS_CERT: join(tls, 'cert.pem'), TLS_KEY: join(tls, 'key.pem') });
    app = await createDemo({
      variables: { APP_ENV: 'dev', PROFILER_STORE: 'memory:', DEMO_FOLDER: folder },
      logHandlers: [],
    });
    const origin = 'http://127.0.0.1:8000';
    transports
      .set('HTTP/1.1', { origin: plain.url, get: (...args) => overHttp1(plain.url, ...args) })
      .set('TLS', { origin: secure.url, get: (...args) => overTls(secure.url, ...args) })
      .set('HTTP/2', { origin: secure.url, get: (...args) => overHttp2(secure.url, ...args) })
      .set('app.fetch', { origin, get: (...args) => overFetch(app, origin, ...args) });
  });
  after(async () => {
    await secure.stop();
    await app.close();
    rmSync(folder, { recursive: true, force: true });
  });

  for (const name of ['HTTP/1.1', 'TLS', 'HTTP/2', 'app.fetch'])
    it(`R3: over ${name}, it has both messages, the page, a token and another site's Referer`, async () => {
      const { origin, get } = transports.get(name) ?? assert.fail(name);
      for (const referer of [undefined, ...referers]) {
        const sent = { ...fromElsewhere, ...(referer === undefined ? {} : { Referer: referer }) };
        const response = await get('/no/such/page', sent);
        const suffix = referer === undefined ? '' : ` (from "${referer}")`;
        const outer = `No route found for "GET ${origin}/no/such/page"${suffix}`;
        const inner = 'No routes found for "/no/such/page/"';
        assert.equal(response.status, 404, referer);
        assert.match(response.headers.get('content-type') ?? '', /^text\/html/, referer);
        const heading = textOf(/<h1[^>]*>[^]*?<\/h1>/.exec(response.body)?.[0] ?? '');
        assert.ok(heading.trim().endsWith(outer), heading);
        const shown = textOf(response.body.slice(response.body.indexOf('</h1>')));
        assert.ok(shown.indexOf(inner) !== -1 && shown.indexOf(inner) < shown.lastIndexOf(outer), referer);
        const token = response.headers.get('x-debug-token') ?? '';
        assert.match(token, /^[0-9a-f]{6}$/, referer);
        assert.equal(response.headers.get('x-debug-token-link'), `${origin}/_profiler/${token}`);
        const answer = await get(`/_profiler/${token}.json`, { Accept: 'application/json' });
        assert.equal(answer.status, 200, answer.body.slice(0, 300));
        const record = JSON.parse(answer.body) as ProfileRecord; // its shape is asserted on below
        assert.deepEqual(
          record.exception?.errors.map(({ message }) => message),
          [inner, outer],
        );
      }
    });

  it('R3: without a Referer, the messages end after the quoted URL and path', async () => {
    for (const [name, { origin, get }] of transports) {
      const { body } = await get('/no/such/page', { Accept: 'application/json' });
      const { detail, debug } = JSON.parse(body) as {
        detail: string;
        debug: { exception: { message: string; class?: string }[] };
      }; // members of the problem document in debug mode
      assert.equal(detail, `No route found for "GET ${origin}/no/such/page"`, name);
      assert.deepEqual(
        debug.exception.map(({ message }) => message),
        ['No routes found for "/no/such/page/"', detail],
        name,
      );
    }
  });

  it('R9: /robots.txt has no route over any transport', async () => {
    for (const [name, { origin, get }] of transports) {
      const response = await get('/robots.txt', fromElsewhere);
      assert.equal(response.status, 404, name);
      const text = textOf(response.body);
      assert.ok(text.includes(`No route found for "GET ${origin}/robots.txt"`), name);
      assert.ok(text.includes('No routes found for "/robots.txt/"'), name);
      assert.equal(response.headers.get('x-robots-tag'), 'noindex', name);
    }
  });
});
