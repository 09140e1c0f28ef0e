import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import express from 'express';
import { type App, createApp, currentScope } from 'lookback';
import { ask, field, openTransport, tlsFiles, transportNames, type Transport } from '../http/transports.js';
import { until } from '../../until.js';

const require = createRequire(import.meta.url);
const express4 = require('express4') as typeof express; // without types of its own; typed like the newer one

const folder = mkdtempSync(join(tmpdir(), 'mounted-'));
writeFileSync(join(folder, 'page.txt'), '0123456789');
after(() => rmSync(folder, { recursive: true, force: true }));

/** What an application of Express of some age has in it. */
function oldApplication(create: typeof express): ReturnType<typeof express> {
  const old = create();
  let aborted = false;
  old.use(create.json());
  old.get('/hello/:name', (request, response) => {
    response.cookie('seen', request.params.name).cookie('twice', 'yes');
    response.json({
      hello: request.params.name,
      url: request.url,
      originalUrl: request.originalUrl,
      baseUrl: request.baseUrl,
      query: request.query['a'],
      ip: request.socket.remoteAddress,
      scoped: currentScope() !== undefined,
    });
  });
  old.post('/echo', (request, response) => void response.status(201).send(request.body));
  old.get('/redirect', (_request, response) => response.redirect(303, '/old/hello/ada'));
  old.get('/stream', (_request, response) => {
    response.type('text/plain');
    Readable.from(Array.from({ length: 200 }, (_, at) => `${at} ${'x'.repeat(1000)}\n`)).pipe(response);
  });
  old.get('/raw', (_request, response) => {
    response.writeHead(202, 'Fine', { 'X-Raw': 'yes', 'Content-Type': 'text/plain' });
    response.write('one ');
    response.end('two');
  });
  old.get('/nothing', (_request, response) => void response.sendStatus(204));
  old.get('/throw', () => {
    throw Object.assign(new Error('thrown in Express'), { status: 418 });
  });
  old.get('/reject', async (_request, response) => {
    await Promise.resolve();
    if (create === express) throw new Error('rejected in Express');
    response.status(500).send('rejected in Express');
  });
  old.get('/half', (_request, response) => {
    response.write('half');
    setImmediate(() => response.destroy(new Error('broken half-way')));
  });
  old.get('/endless', (request, response) => {
    request.on('close', () => (aborted = true));
    response.write('begun');
  });
  old.get('/aborted', (_request, response) => void response.json(aborted));
  old.post('/upload', (request, response) => {
    const collect = async (): Promise<void> => {
      let bytes = 0;
      for await (const chunk of request as AsyncIterable<Uint8Array>) bytes += chunk.byteLength; // no encoding is set
      response.send(`${bytes} bytes`);
    };
    collect().catch(() => response.destroy());
  });
  old.use('/files', create.static(folder));
  return old;
}

for (const [version, create] of [
  ['Express 5', express],
  ['Express 4', express4],
] as const)
  for (const name of transportNames)
    describe(`${version} mounted in an application, over ${name}`, () => {
      let app: App;
      let transport: Transport;
      before(async () => {
        const tls = name === 'TLS' || name === 'HTTP/2' ? tlsFiles : undefined;
        app = createApp({ configuration: { tls, profilerStore: 'memory:', debug: true }, logHandlers: [] });
        app.get('/new', () => 'new').mount('/old', oldApplication(create));
        app.group({ path: '/v1' }, (group) => group.mount('/deep/', oldApplication(create)));
        transport = await openTransport(name, app);
      });
      after(async () => {
        await transport.close();
        await app.close();
      });
      const get = (path: string): ReturnType<typeof ask> => ask(transport, { path });

      it('gives it the rest of the path, the query, the client and the scope', async () => {
        const answer = await get('/old/hello/ad%20a?a=1%262');
        assert.equal(answer.status, 200);
        assert.deepEqual(JSON.parse(answer.body), {
          hello: 'ad a',
          url: '/hello/ad%20a?a=1%262',
          originalUrl: '/old/hello/ad%20a?a=1%262',
          baseUrl: '/old',
          query: '1&2',
          ip: '127.0.0.1',
          scoped: true,
        });
        assert.deepEqual(
          answer.headers.filter(([header]) => header === 'set-cookie').map(([, value]) => value),
          ['seen=ad%20a; Path=/', 'twice=yes; Path=/'],
        );
        assert.ok(field(answer, 'x-debug-token') !== undefined);
        assert.equal((JSON.parse((await get('/v1/deep/hello/b')).body) as { url: string }).url, '/hello/b');
        assert.equal((await get('/new')).body, 'new');
      });

      it('hands over bodies, and takes what is written in one call or in many', async () => {
        const posted = await ask(transport, {
          path: '/old/echo',
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: '{"a":[1,2]}',
        });
        assert.deepEqual([posted.status, posted.body], [201, '{"a":[1,2]}']);
        const stream = await get('/old/stream');
        assert.ok(stream.isWhole);
        assert.equal(stream.body.split('\n').length, 201);
        const raw = await get('/old/raw');
        assert.deepEqual([raw.status, field(raw, 'x-raw'), raw.body], [202, 'yes', 'one two']);
        assert.equal((await get('/old/nothing')).status, 204);
        const redirect = await get('/old/redirect');
        assert.deepEqual([redirect.status, field(redirect, 'location')], [303, '/old/hello/ada']);
        const upload = await ask(transport, {
          path: '/old/upload',
          method: 'POST',
          headers: { 'content-type': 'application/octet-stream' },
          body: 'x'.repeat(300_000),
        });
        assert.equal(upload.body, '300000 bytes');
      });

      it('serves its files, with ranges and conditions', async () => {
        const whole = await get('/old/files/page.txt');
        assert.deepEqual([whole.status, whole.body], [200, '0123456789']);
        const part = await ask(transport, { path: '/old/files/page.txt', headers: { range: 'bytes=2-4' } });
        assert.deepEqual([part.status, part.body], [206, '234']);
        const etag = field(whole, 'etag') ?? '';
        const again = await ask(transport, {
          path: '/old/files/page.txt',
          headers: { 'if-none-match': etag },
        });
        assert.deepEqual([again.status, again.body], [304, '']);
        const head = await ask(transport, { path: '/old/files/page.txt', method: 'HEAD' });
        assert.deepEqual([head.status, head.body], [200, '']);
      });

      it('answers what it leaves and what it throws like any other request', async () => {
        const accept = { accept: 'application/json' };
        for (const [path, status, text] of [
          ['/old/nowhere', 404, 'Not Found'],
          ['/old', 404, 'Not Found'],
          ['/old/throw', 500, 'thrown in Express'],
          ['/old/reject', 500, 'rejected in Express'],
        ] as const) {
          const answer = await ask(transport, { path, headers: accept });
          assert.equal(answer.status, status, path);
          assert.ok(answer.body.includes(text), `${path}: ${answer.body.slice(0, 300)}`);
        }
        const half = await get('/old/half');
        assert.deepEqual([half.body, half.isWhole], ['half', false]);
      });

      it('notifies it when the client leaves', async () => {
        const open = await transport.open({ path: '/old/endless' });
        assert.equal(Buffer.from((await open.chunks.next()).value ?? []).toString(), 'begun');
        open.leave();
        await until(async () => (await get('/old/aborted')).body === 'true');
      });
    });
