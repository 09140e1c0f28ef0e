import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { brotliDecompressSync, createBrotliDecompress, createGunzip, gunzipSync } from 'node:zlib';
import { createApp, HttpResponse } from 'lookback';
import { compression, download, etag, staticFiles } from 'lookback/web';
import { type BytesAnswer, overTransports } from './over-transports.js';

const rows = Array.from({ length: 400 }, (_, id) => ({ id, name: `Name of ${id}` }));
const takesBr = { headers: { 'accept-encoding': 'gzip, br' } };
const folder = mkdtempSync(join(tmpdir(), 'lookback-compression-'));
for (const [name, size] of [
  ['a.css', 8000],
  ['large.css', 200_000],
  ['small.css', 100],
  ['a.bin', 8000],
] as const)
  writeFileSync(join(folder, name), 'a { color: red }\n'.repeat(size).slice(0, size));
after(() => rmSync(folder, { recursive: true }));
/** Releases the next event of the stream, and counts how often the body ended. */
const gate = { open: (): void => undefined, ended: 0 };

async function checkFields(
  path: string,
  coding: string,
  ask: (headers: Record<string, string>, method?: string) => Promise<BytesAnswer>,
): Promise<void> {
  const full = await ask({});
  const tag = full.field('etag') ?? '';
  const head = await ask({}, 'HEAD');
  const others = [
    head,
    await ask({ 'if-none-match': tag }),
    await ask({ 'if-none-match': tag.replace('W/', '') }, 'HEAD'),
    await ask({ range: 'bytes=0-3' }),
  ];
  assert.deepEqual(
    [full, ...others].map(({ status }) => status),
    [200, 200, 304, 304, path === '/rows' ? 200 : 206],
  );
  const fields = (answer: BytesAnswer, names: string): unknown[] =>
    names.split(' ').map((name) => [name, answer.field(name)]);
  const shared = 'etag vary cache-control last-modified';
  for (const other of others)
    assert.deepEqual(fields(other, shared), fields(full, shared), `${path} ${other.status}`);
  const ofHead = 'content-encoding content-type accept-ranges';
  assert.deepEqual(fields(head, ofHead), fields(full, ofHead), path);
  const length = head.field('content-length');
  if (length !== undefined) assert.equal(length, String(full.bytes.length));
  const isEncoded = coding !== 'identity' && !/small|bin/.test(path);
  assert.equal(tag.startsWith('W/'), isEncoded, path);
  assert.equal(full.field('content-encoding'), isEncoded ? coding : undefined);
}

overTransports(
  'compression',
  () => ({
    options: { extensions: [compression(), etag(), staticFiles(folder, { path: '/files' })] },
    define: (app) => {
      app.get('/own', ({ request }) => download(request, `${folder}/a.css`, { inline: true }));
      const headed = (path: string, headers: Record<string, string>): void =>
        void app.get(path, () => HttpResponse.json(rows, { headers }));
      app.any('/rows', () => rows);
      app.get('/short', () => 'short');
      app.get('/image', () =>
        HttpResponse.stream(Buffer.alloc(5000), { headers: { 'Content-Type': 'image/png' } }),
      );
      headed('/encoded', { 'Content-Encoding': 'own' });
      headed('/untouched', { 'Cache-Control': 'public, No-Transform' });
      headed('/private', { 'Cache-Control': 'private, max-age=5' });
      headed('/weak', { ETag: 'W/"own"' });
      headed('/length', { 'Content-Length': String(JSON.stringify(rows).length) });
      app.get('/cookie', () => HttpResponse.json(rows).setCookie('a', '1'));
      app.get('/chunks', () =>
        HttpResponse.stream(
          (async function* () {
            for (let count = 0; count < 3000; count++) yield `line ${count}\n`;
          })(),
          { headers: { 'Content-Type': 'text/plain' } },
        ),
      );
      app.get('/events', () =>
        HttpResponse.stream(
          (async function* () {
            try {
              for (let count = 0; ; count++) {
                yield `data: ${count}\n\n`;
                await new Promise<void>((resolve) => (gate.open = resolve));
              }
            } finally {
              gate.ended++;
            }
          })(),
          { headers: { 'Content-Type': 'text/event-stream' } },
        ),
      );
      app.get('/breaks', () =>
        HttpResponse.stream(
          (async function* () {
            yield 'begun';
            await new Promise<void>((resolve) => (gate.open = resolve));
            throw new Error('broken');
          })(),
          { headers: { 'Content-Type': 'text/plain' } },
        ),
      );
    },
  }),
  (bench) => {
    it('a body shrinks with the coding that the client prefers', async () => {
      const plain = await bench().ask('/rows');
      assert.equal(plain.field('content-encoding'), undefined);
      assert.match(plain.field('vary') ?? '', /Accept-Encoding/);
      const br = await bench().ask('/rows', takesBr);
      assert.equal(br.field('content-encoding'), 'br');
      assert.equal(brotliDecompressSync(br.bytes).toString(), plain.text);
      assert.ok(br.bytes.length < plain.bytes.length / 4);
      const gzip = await bench().ask('/rows', { headers: { 'accept-encoding': 'br;q=0.1, gzip' } });
      assert.equal(gunzipSync(gzip.bytes).toString(), plain.text);
      const length = br.field('content-length');
      if (length !== undefined) assert.equal(length, String(br.bytes.length));
    });

    it('a wrong declared length is removed', async () => {
      const answer = await bench().ask('/length', takesBr);
      assert.deepEqual(JSON.parse(brotliDecompressSync(answer.bytes).toString()), rows);
    });

    it('POST responses are compressed as well, and HEAD has the coding that GET would have', async () => {
      const post = await bench().ask('/rows', { ...takesBr, method: 'POST' });
      assert.equal(post.field('content-encoding'), 'br');
      const head = await bench().ask('/rows', { ...takesBr, method: 'HEAD' });
      assert.deepEqual([head.field('content-encoding'), head.bytes.length], ['br', 0]);
    });

    it('short, already compressed, no-transform and private bodies are left unchanged', async () => {
      for (const path of ['/short', '/image', '/untouched', '/private', '/cookie']) {
        const answer = await bench().ask(path, takesBr);
        assert.equal(answer.status, 200, path);
        assert.equal(answer.field('content-encoding'), undefined, path);
      }
      assert.equal((await bench().ask('/encoded', takesBr)).field('content-encoding'), 'own');
    });

    it("a compressed response's ETag is weak, and still causes a 304", async () => {
      const plain = await bench().ask('/rows');
      assert.match(plain.field('etag') ?? '', /^"[\w-]{27}"$/);
      const br = await bench().ask('/rows', takesBr);
      assert.equal(br.field('etag'), `W/${plain.field('etag')}`);
      for (const known of [plain.field('etag') ?? '', br.field('etag') ?? '']) {
        const kept = await bench().ask('/rows', { headers: { ...takesBr.headers, 'if-none-match': known } });
        assert.deepEqual(
          [kept.status, kept.bytes.length, kept.field('content-encoding')],
          [304, 0, undefined],
        );
        assert.match(kept.field('vary') ?? '', /Accept-Encoding/);
      }
      assert.equal((await bench().ask('/weak', takesBr)).field('etag'), 'W/"own"');
    });

    it('a stream is compressed to its end, and simultaneous chunks together', async () => {
      const { bytes, field } = await bench().ask('/chunks', takesBr);
      assert.equal(field('content-encoding'), 'br');
      const text = brotliDecompressSync(bytes).toString();
      assert.equal(text.split('\n').length, 3001);
      assert.ok(bytes.length < text.length / 4, 'chunks that arrive together are compressed together');
      const gzip = await bench().ask('/chunks', { headers: { 'accept-encoding': 'gzip' } });
      assert.equal(gunzipSync(gzip.bytes).toString(), text);
    });

    for (const coding of ['br', 'gzip'] as const) {
      it(`an event is sent immediately (${coding}), and a client that leaves ends the stream`, async () => {
        const before = gate.ended;
        const open = await bench().transport.open({
          path: '/events',
          headers: { 'accept-encoding': coding },
        });
        const decoder = coding === 'br' ? createBrotliDecompress() : createGunzip();
        let text = '';
        decoder.on('data', (chunk: Buffer) => (text += chunk.toString()));
        for (let event = 0; event < 3; event++) {
          while (!text.includes(`data: ${event}\n\n`)) {
            const next = await open.chunks.next();
            assert.notEqual(next.done, true);
            await new Promise<void>((done) => void decoder.write(next.value, () => done()));
            await new Promise(setImmediate);
          }
          gate.open();
        }
        open.leave();
        while (gate.ended === before) {
          gate.open();
          await new Promise((resolve) => setTimeout(resolve, 2));
        }
        decoder.destroy();
      });
    }

    for (const coding of ['gzip', 'br', 'identity'])
      it(`a 304, a 206 and a HEAD have the ETag and Vary of the 200 (${coding})`, async () => {
        for (const path of [
          '/rows',
          '/files/a.css',
          '/files/large.css',
          '/files/small.css',
          '/files/a.bin',
          '/own',
        ])
          await checkFields(path, coding, (headers, method = 'GET') =>
            bench().ask(path, { method, headers: { 'accept-encoding': coding, ...headers } }),
          );
      });

    it('a stream that fails is cut off, so that the response is incomplete', async () => {
      const { chunks } = await bench().transport.open({ path: '/breaks', ...takesBr });
      const first = await chunks.next();
      assert.notEqual(first.done, true);
      gate.open();
      const parts = [first.value as Uint8Array]; // checked in the previous line
      try {
        for (let next = await chunks.next(); next.done !== true; next = await chunks.next())
          parts.push(next.value);
      } catch {
        // cut off
      }
      assert.throws(() => brotliDecompressSync(Buffer.concat(parts)));
    });
  },
);

describe('compression', () => {
  const quiet = { configuration: { profilerStore: 'off' }, logHandlers: [] } as const;

  it('applies to private responses, other sizes and selected paths if configured', async () => {
    const app = createApp(quiet).use(compression({ privateAnswers: true, threshold: 10, paths: ['/in'] }));
    app.get('/in', () => HttpResponse.json('a'.repeat(100)).setCookie('a', '1'));
    app.get('/out', () => 'a'.repeat(5000));
    assert.equal((await app.fetch('/in', takesBr)).headers.get('content-encoding'), 'br');
    assert.equal((await app.fetch('/out', takesBr)).headers.get('content-encoding'), null);
  });

  it('depends only on the threshold, so that all responses for a page have the same header fields', async () => {
    const app = createApp(quiet)
      .use(compression({ threshold: 2 }))
      .get('/', () => 'a')
      .get('/two', () => 'ab');
    assert.equal((await app.fetch('/', takesBr)).headers.get('content-encoding'), null);
    assert.equal((await app.fetch('/two', takesBr)).headers.get('content-encoding'), 'br');
  });
});

describe('etag', () => {
  const quiet = { configuration: { profilerStore: 'off' }, logHandlers: [] } as const;

  it('is on complete responses to GET and HEAD with 200, except no-store', async () => {
    const app = createApp(quiet).use(etag({ paths: ['/a'] }));
    app.any('/a', () => 'x');
    app.get('/a/stored', () => HttpResponse.text('x', { headers: { 'Cache-Control': 'no-store' } }));
    app.get('/a/created', () => HttpResponse.text('x', { status: 201 }));
    app.get('/a/stream', () =>
      HttpResponse.stream(
        (async function* () {
          yield 'x';
        })(),
      ),
    );
    app.get('/a/own', () =>
      HttpResponse.text('x', {
        headers: { ETag: '"own"', 'Last-Modified': 'Fri, 02 Jan 2026 03:04:05 GMT' },
      }),
    );
    app.get('/b', () => 'x');
    const tag = async (path: string, init?: RequestInit): Promise<string | null> =>
      (await app.fetch(path, init)).headers.get('etag');
    assert.match((await tag('/a')) ?? '', /^"[\w-]{27}"$/);
    assert.equal(await tag('/a', { method: 'HEAD' }), await tag('/a'));
    assert.equal(await tag('/a', { method: 'POST' }), null);
    for (const path of ['/a/stored', '/a/created', '/a/stream', '/b', '/a/missing'])
      assert.equal(await tag(path), null, path);
    assert.equal(await tag('/a/own'), '"own"');
    const kept = await app.fetch('/a/own', { headers: { 'if-none-match': '"own"' } });
    assert.deepEqual([kept.status, kept.headers.get('content-type')], [304, null]);
    const since = await app.fetch('/a/own', {
      headers: { 'if-modified-since': 'Fri, 02 Jan 2026 03:04:05 GMT' },
    });
    assert.equal(since.status, 304);
  });

  it("leaves the response's cookies and headers on its 304", async () => {
    const app = createApp(quiet).use(etag());
    app.get('/', () =>
      HttpResponse.text('x', { headers: { 'Cache-Control': 'max-age=5' } }).setCookie('seen', '1'),
    );
    const first = await app.fetch('/');
    const kept = await app.fetch('/', { headers: { 'if-none-match': first.headers.get('etag') ?? '' } });
    assert.equal(kept.status, 304);
    assert.equal(kept.headers.get('cache-control'), 'max-age=5');
    assert.equal(kept.headers.getSetCookie().length, 1);
    const other = await app.fetch('/', { headers: { 'if-none-match': '"other"' } });
    assert.equal(other.status, 200);
  });
});
