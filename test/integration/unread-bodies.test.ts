import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { connect as connectHttp2 } from 'node:http2';
import { request as requestHttps } from 'node:https';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type App, createApp } from 'lookback';
import type { ProfileRecord } from 'lookback/profiler';
import { local } from '../local-peer.js';
import { until } from '../until.js';

const folder = join(process.cwd(), 'test/fixtures/tls');
const tls = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
const ca = readFileSync(tls.cert);
const body = JSON.stringify({ title: 'nobody reads this', password: 'c4n4ry' });

function makeApp(changes: object = {}): App {
  const app = createApp({
    configuration: { env: 'test', debug: true, profilerStore: 'memory:', ...changes },
    logHandlers: [],
  });
  app.post('/ignores', () => 'ignored');
  app.post('/throws', () => {
    throw new Error('before it read anything');
  });
  app.post('/reads', async ({ request }) => request.text());
  app.post('/streams', async ({ request }) => {
    let bytes = 0;
    for await (const chunk of request.body) bytes += chunk.byteLength;
    return String(bytes);
  });
  return app;
}

async function recordOf(app: App, token: unknown): Promise<ProfileRecord> {
  assert.equal(typeof token, 'string');
  return until(
    async () => {
      const found = await app.profiler?.find(String(token));
      return found?.kind === 'found' && found.record.state !== 'unfinished' && found.record;
    },
    `no record ${String(token)}`,
  );
}

type Sender = (app: App, url: string, path: string) => Promise<unknown>;
const headers = { 'content-type': 'application/json' };

/** Ways to send the body; each returns the response's token. */
const senders: Readonly<Record<string, Sender>> = {
  'app.fetch': async (app, _url, path) =>
    (
      await app.fetch(new Request(`http://localhost${path}`, { method: 'POST', body, headers }), local)
    ).headers.get('x-debug-token'),
  'HTTP/1.1': async (_app, url, path) => {
    const answer = await fetch(url + path, { method: 'POST', body, headers });
    await answer.text();
    return answer.headers.get('x-debug-token');
  },
  'HTTP/1.1 in chunks': async (_app, url, path) => {
    const chunks = new ReadableStream<Uint8Array>({
      start(controller): void {
        controller.enqueue(new TextEncoder().encode(body));
        controller.close();
      },
    });
    const init: RequestInit & { duplex: 'half' } = { method: 'POST', body: chunks, headers, duplex: 'half' };
    const answer = await fetch(url + path, init);
    await answer.text();
    return answer.headers.get('x-debug-token');
  },
  TLS: (_app, url, path) =>
    new Promise((resolve, reject) => {
      const sent = requestHttps(
        url + path,
        { method: 'POST', ca, headers, servername: 'localhost' },
        (answer) => {
          answer.resume().once('end', () => resolve(answer.headers['x-debug-token']));
        },
      );
      sent.once('error', reject).end(body);
    }),
  'HTTP/2': (_app, url, path) =>
    new Promise((resolve, reject) => {
      const session = connectHttp2(url, { ca, servername: 'localhost' });
      session.once('error', reject);
      const stream = session.request({ ':method': 'POST', ':path': path, ...headers });
      let token: unknown;
      stream.once('response', (fields) => {
        token = fields['x-debug-token'];
      });
      stream.resume().once('close', () => {
        session.close();
        resolve(token);
      });
      stream.end(body);
    }),
};

describe('P3: a body that the application does not read', () => {
  let plain: App;
  let secure: App;
  const urls = { plain: '', secure: '' };
  before(async () => {
    plain = makeApp();
    secure = makeApp({ tls });
    urls.plain = (await plain.listen({ port: 0 })).url;
    urls.secure = (await secure.listen({ port: 0 })).url;
  });
  after(async () => {
    await plain.close();
    await secure.close();
  });

  for (const [name, send] of Object.entries(senders)) {
    it(`is in the record nevertheless, and marked as unread: ${name}`, async () => {
      const isSecure = name === 'TLS' || name === 'HTTP/2';
      const [app, url] = isSecure ? [secure, urls.secure] : [plain, urls.plain];
      for (const path of ['/ignores', '/throws', '/missing']) {
        const { request } = await recordOf(app, await send(app, url, path));
        assert.equal(request.body?.isUnread, true, path);
        assert.equal(request.body?.bytes, body.length, path);
        assert.match(request.body?.content ?? '', /nobody reads this.*redacted/, path);
      }
      const read = await recordOf(app, await send(app, url, '/reads'));
      assert.equal(read.request.body?.isUnread, undefined);
      const streamed = await recordOf(app, await send(app, url, '/streams'));
      assert.deepEqual(
        [streamed.request.body, streamed.response?.body?.content],
        [null, String(body.length)],
      );
    });
  }

  it('is shown on the page, or its declared size if it was not received', async () => {
    const page = async (send: RequestInit): Promise<string> => {
      const answer = await fetch(`${urls.plain}/ignores`, { method: 'POST', ...send });
      await answer.text();
      await recordOf(plain, answer.headers.get('x-debug-token'));
      return (
        await plain.fetch(`/_profiler/${answer.headers.get('x-debug-token')}?panel=request`, local)
      ).text();
    };
    assert.ok((await page({ body, headers })).includes(`Not read by the controller (${body.length} B sent)`));
    const large = await page({ body: 'x'.repeat(70_000) });
    assert.match(large, /Body not recorded: it was not read, or was read as a stream \(68.4 KiB\)/);
    assert.doesNotMatch(await page({}), /Body not recorded|Not read by the controller/);
  });

  it('is not waited for: the response is sent before it, and the connection stays usable', async () => {
    const { hostname, port } = new URL(urls.plain);
    const socket = connect(Number(port), hostname);
    let got = '';
    socket.on('data', (chunk: Buffer) => (got += chunk.toString()));
    const answered = (words: RegExp): Promise<boolean> =>
      until(
        () => words.test(got),
        () => got,
      );
    const head = 'POST /ignores HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\n';
    socket.write(head);
    await answered(/ignored$/);
    const [, token] = /x-debug-token: (\w+)/i.exec(got) ?? [];
    const { request } = await recordOf(plain, token);
    assert.equal(request.body, null);
    got = '';
    socket.write('body' + head + 'more');
    await answered(/ignored$/);
    socket.destroy();
  });
});
