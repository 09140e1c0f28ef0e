import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer, request as askHttp, type RequestListener } from 'node:http';
import { connect, createSecureServer, type Http2ServerResponse } from 'node:http2';
import { createServer as createTlsServer, request as askTls } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { createAdaptorServer, serve } from '@hono/node-server';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import Koa from 'koa';
import { attach } from 'lookback/attach';
import { lookback as expressLookback } from 'lookback/express';
import { lookback as fastifyLookback } from 'lookback/fastify';
import { lookback as honoLookback } from 'lookback/hono';
import { lookback as koaLookback } from 'lookback/koa';
import { listen, listenOn } from './apps/listen.js';
import type { RunningApp } from './contract.js';

const pageHtml = '<!doctype html><title>é</title><body><h1>Hello</h1></body></html>';
const toolbarTag =
  /<script src="\/_profiler\/toolbar\.js" data-lookback="\/_profiler\/([0-9a-f]{6})"><\/script>\n(?=<\/body>|$)/;
const asBrowser = { 'sec-fetch-dest': 'document', accept: 'text/html' };
const tls = {
  key: readFileSync('test/fixtures/tls/key.pem'),
  cert: readFileSync('test/fixtures/tls/cert.pem'),
};

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

type Ask = (path: string, headers?: Readonly<Record<string, string>>) => Promise<Answer>;

function asking(request: typeof askHttp, port: number): Ask {
  return (path, headers = asBrowser) =>
    new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', port, path, headers, agent: false, rejectUnauthorized: false };
      const sent = request(options, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(chunks).toString(),
          }),
        );
      });
      sent.on('error', reject).end();
    });
}

function askingHttp2(port: number): Ask {
  return async (path, given = asBrowser) => {
    const session = connect(`https://localhost:${port}`, { rejectUnauthorized: false });
    const stream = session.request({ ':path': path, ...given });
    let headers: Answer['headers'] = {};
    stream.on('response', (fields) => (headers = fields as Answer['headers'])); // names and values
    const text = (await stream.setEncoding('utf8').toArray()).join('');
    session.destroy();
    return { status: Number(headers[':status']), headers, text };
  };
}

/** The toolbar tag of another attached application whose response is forwarded. */
const otherTag = '<script src="/_profiler/toolbar.js" data-lookback="/_profiler/ffffff"></script>\n';
const partsOf = (text: string): readonly string[] => [text.slice(0, 30), text.slice(30, 40), text.slice(40)];

/** Every way in which a plain handler may write a response. */
const plain: RequestListener = (request, response) => {
  const type = { 'Content-Type': 'text/html; charset=utf-8' };
  const length = { 'Content-Length': Buffer.byteLength(pageHtml) };
  const { pathname } = new URL(request.url ?? '/', 'http://localhost');
  if (pathname === '/head-and-end')
    response
      .writeHead(200, 'Fine', { ...type, ...length, ETag: '"1"', 'Cache-Control': 'public, max-age=9' })
      .end(pageHtml);
  else if (pathname === '/set-and-end') {
    response.setHeader('Content-Type', 'text/html');
    response.setHeader('Set-Cookie', ['a=1', 'b=2']);
    response.end(Buffer.from(pageHtml), () => response.emit('told'));
  } else if (pathname === '/sent') {
    response.writeHead(200, type);
    const isSent = response.headersSent;
    response.end(pageHtml.replace('Hello', `sent: ${isSent}`));
  } else if (pathname === '/late') {
    response.writeHead(200, type);
    setImmediate(() => response.end(pageHtml));
  } else if (pathname === '/chunks') {
    response.writeHead(200, type);
    response.write(pageHtml.slice(0, 20));
    response.end(pageHtml.slice(20));
  } else if (pathname === '/streamed') {
    response.setHeader('ETag', '"1"');
    response.setHeader('Content-Type', 'text/html');
    for (const part of partsOf(pageHtml)) response.write(Buffer.from(part));
    setImmediate(() => response.end(() => response.emit('told')));
  } else if (pathname === '/declared') {
    response.writeHead(200, { ...type, ...length, Connection: 'keep-alive' });
    Readable.from(partsOf(pageHtml)).pipe(response);
  } else if (pathname === '/late-bytes') {
    response.writeHead(200, type).write(pageHtml.slice(0, 20));
    response.end(Buffer.from(pageHtml.slice(20)).toString('base64'), 'base64');
  } else if (pathname === '/forwarded' || pathname === '/forwarded-parts') {
    const page = pageHtml.replace('</body>', `${otherTag}</body>`);
    response.writeHead(200, { ...type, 'Content-Length': Buffer.byteLength(page) });
    if (pathname !== '/forwarded') response.write(page.slice(0, 20));
    response.end(pathname === '/forwarded' ? page : page.slice(20));
  } else if (pathname === '/flushed-parts') {
    response.setHeader('Content-Type', 'text/html');
    response.flushHeaders();
    for (const part of partsOf(pageHtml)) response.write(part);
    response.end();
  } else if (pathname === '/flushed-length') {
    response.writeHead(200, { ...type, ...length }).flushHeaders();
    response.end(pageHtml);
  } else if (pathname === '/refused-end') {
    response.writeHead(200, type).write('<!doctype html>');
    let code: string | undefined;
    try {
      Reflect.apply(response.end, response, [7]);
    } catch (error) {
      ({ code } = error as NodeJS.ErrnoException); // a Node error
    }
    response.end(code);
  } else if (pathname === '/fragment-parts') {
    response.writeHead(200, type).write('<p>part');
    response.end('</p></body>');
  } else if (pathname === '/flushed') {
    response.writeHead(200, type).flushHeaders();
    response.end(pageHtml);
  } else if (pathname === '/fragment') response.writeHead(200, type).end('<p>part</p>');
  else if (pathname === '/policy')
    response.writeHead(200, { ...type, 'content-security-policy': "default-src 'none'" }).end(pageHtml);
  else if (pathname === '/attachment')
    response.writeHead(200, { ...type, 'Content-Disposition': 'attachment; filename=a.html' }).end(pageHtml);
  else if (pathname === '/utf16') response.writeHead(200, type).end(pageHtml, 'utf16le');
  else if (pathname === '/utf8') response.writeHead(200, type).end(pageHtml, 'utf8');
  else if (pathname === '/encoded')
    response.writeHead(200, { ...type, 'Content-Encoding': 'br' }).end(pageHtml);
  else if (pathname === '/json')
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('"</body>"');
  else if (pathname === '/redirect')
    response.writeHead(303, { Location: '/set-and-end?from', 'Set-Cookie': 'own=1' }).end();
  else response.writeHead(404, Object.entries(type).flat()).end(pageHtml);
};

function assertToolbar({ headers, text }: Answer, page = pageHtml): void {
  const [tag = '', token] = toolbarTag.exec(text) ?? [];
  assert.equal(token, headers['x-debug-token'], text);
  assert.equal(text.replace(tag, ''), page, 'the rest of the page is unchanged');
  if (headers['content-length'] !== undefined)
    assert.equal(Number(headers['content-length']), Buffer.byteLength(text));
  assert.match(String(headers['cache-control']), /\bprivate\b/);
}

async function withPlain(use: (ask: Ask) => Promise<void>): Promise<void> {
  const server = createServer(plain);
  const attached = attach(server, { store: 'memory:' });
  const running = await listenOn(server, () => attached.close());
  await use(asking(askHttp, running.port)).finally(() => running.close());
}

describe('the toolbar in pages of other servers', () => {
  const frameworks: Readonly<Record<string, () => Promise<RunningApp>>> = {
    async express() {
      const watching = expressLookback({ store: 'memory:' });
      const app = express();
      app.use(watching);
      app.get('/', (_request, response) => void response.send(pageHtml));
      return listen(app, () => watching.close());
    },
    async fastify() {
      const app = fastify();
      await app.register(fastifyLookback, { store: 'memory:' });
      app.get('/', (_request, reply) => reply.type('text/html').send(pageHtml));
      await app.listen({ port: 0, host: '127.0.0.1' });
      const { port } = app.server.address() as AddressInfo; // it listens on a port
      return { port, close: () => app.close() };
    },
    async koa() {
      const watching = koaLookback({ store: 'memory:' });
      const app = new Koa();
      app.use(watching);
      app.use((context) => void (context.body = pageHtml));
      return listen(app.callback(), () => watching.close());
    },
    async hono() {
      const watching = honoLookback({ store: 'memory:' });
      const app = new Hono();
      app.use(watching);
      app.get('/', (context) => context.html(pageHtml));
      const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' });
      await new Promise((resolve) => server.once('listening', resolve));
      const { port } = server.address() as AddressInfo; // it listens on a port
      return {
        port,
        close: async () => {
          await new Promise((resolve) => server.close(resolve));
          await watching.close();
        },
      };
    },
  };
  for (const [name, start] of Object.entries(frameworks))
    it(`is in a page from ${name}, and not in a response to a program`, async () => {
      const running = await start();
      const ask = asking(askHttp, running.port);
      try {
        assertToolbar(await ask('/'));
        const other = await ask('/', { accept: '*/*' });
        assert.equal(other.text, pageHtml);
        assert.match(String(other.headers['server-timing']), /^lookback;dur=[\d.]+;desc="[0-9a-f]{6}"$/);
        const foreign = await ask('/', { ...asBrowser, host: 'evil.example' });
        assert.equal(foreign.text, pageHtml);
        assert.equal(foreign.headers['server-timing'], undefined);
      } finally {
        await running.close();
      }
    });

  it('is in every page written in one go, however its head is sent', async () => {
    await withPlain(async (ask) => {
      const answer = await ask('/head-and-end');
      assertToolbar(answer);
      assert.equal(answer.headers['etag'], 'W/"1"');
      assert.equal(answer.headers['cache-control'], 'private, max-age=9');
      const other = await ask('/set-and-end');
      assertToolbar(other);
      assert.deepEqual(other.headers['set-cookie'], ['a=1', 'b=2']);
      assertToolbar(await ask('/sent'), pageHtml.replace('Hello', 'sent: true'));
      for (const path of ['/late', '/nowhere', '/utf8', '/flushed']) assertToolbar(await ask(path));
      assert.equal((await ask('/utf16')).text, Buffer.from(pageHtml, 'utf16le').toString());
    });
  });

  it('follows the last chunk of a streamed page, and increases its declared length', async () => {
    await withPlain(async (ask) => {
      for (const path of ['/chunks', '/streamed', '/declared', '/late-bytes', '/flushed-parts']) {
        const answer = await ask(path);
        assertToolbar(answer);
        assert.ok(answer.text.startsWith(pageHtml), path);
        assert.equal('content-length' in answer.headers, path === '/declared', path);
      }
      assert.equal((await ask('/streamed')).headers['etag'], 'W/"1"');
    });
  });

  it('lets Node refuse an invalid end of a page', async () => {
    await withPlain(async (ask) => {
      assert.match((await ask('/refused-end')).text, /^<!doctype html>ERR_INVALID_ARG_TYPE/);
    });
  });

  it('is never in a page twice: the toolbar of an attached application behind this one stays', async () => {
    await withPlain(async (ask) => {
      const { text } = await ask('/forwarded');
      assert.equal(text, pageHtml.replace('</body>', `${otherTag}</body>`));
      const parts = await ask('/forwarded-parts');
      assert.equal(parts.text.trimEnd(), text.trimEnd());
      assert.equal(Number(parts.headers['content-length']), Buffer.byteLength(parts.text));
    });
  });

  it('is in no other response, which stays unchanged', async () => {
    await withPlain(async (ask) => {
      for (const path of ['/flushed-length', '/policy', '/attachment', '/encoded']) {
        const answer = await ask(path);
        assert.equal(answer.text, pageHtml, path);
        assert.notEqual(answer.headers['x-debug-token'], undefined, path);
      }
      assert.equal((await ask('/fragment')).text, '<p>part</p>');
      assert.equal((await ask('/fragment-parts')).text, '<p>part</p></body>');
      assert.equal((await ask('/json')).text, '"</body>"');
      for (const headers of [
        { 'sec-fetch-dest': 'empty', accept: 'text/html' },
        { ...asBrowser, range: 'bytes=0-' },
        { ...asBrowser, 'x-requested-with': 'XMLHttpRequest' },
      ])
        assert.equal((await ask('/set-and-end', headers)).text, pageHtml);
    });
  });

  it("lets the page after a redirect name the redirect's record, for the redirected browser", async () => {
    await withPlain(async (ask) => {
      const first = await ask('/redirect');
      const [own, cookie = ''] = [first.headers['set-cookie'] ?? []].flat();
      assert.equal(own, 'own=1');
      assert.match(cookie, /; Path=\/set-and-end; Max-Age=20; HttpOnly; SameSite=Lax$/);
      const withCookie = { ...asBrowser, cookie: cookie.slice(0, cookie.indexOf(';')) };
      const second = await ask('/set-and-end?from', withCookie);
      assert.equal(second.headers['x-previous-debug-token'], first.headers['x-debug-token']);
      assert.match(
        String(second.headers['set-cookie']),
        /^a=1,b=2,lookback_previous=; Path=\/set-and-end; Max-Age=0/,
      );
      for (const [path, headers] of [
        ['/set-and-end?from', asBrowser],
        ['/set-and-end?other', withCookie],
      ] as const)
        assert.equal((await ask(path, headers)).headers['x-previous-debug-token'], undefined, path);
    });
  });

  it('is in pages over TLS', async () => {
    const secure = createTlsServer(tls, plain);
    const attached = attach(secure, { store: 'memory:' });
    const running = await listenOn(secure, () => attached.close());
    assertToolbar(await asking(askTls as typeof askHttp, running.port)('/head-and-end'));
    await running.close();
  });

  it('is in pages over HTTP/2, streamed ones too, and other responses stay unchanged', async () => {
    const server = createSecureServer(tls, plain as never); // the handler uses only members that HTTP/2 has too
    const attached = attach(server, { store: 'memory:' });
    const running = await listenOn(server, () => attached.close());
    const ask = askingHttp2(running.port);
    for (const path of [
      '/head-and-end',
      '/set-and-end',
      '/nowhere',
      '/late',
      '/flushed',
      '/chunks',
      '/streamed',
    ])
      assertToolbar(await ask(path));
    const other = await ask('/set-and-end');
    assert.deepEqual(other.headers['set-cookie'], ['a=1', 'b=2']);
    assertToolbar(await ask('/sent'), pageHtml.replace('Hello', 'sent: true'));
    for (const path of ['/policy', '/attachment', '/encoded']) {
      const answer = await ask(path);
      assert.equal(answer.text, pageHtml, path);
      assert.notEqual(answer.headers['x-debug-token'], undefined, path);
    }
    assert.equal((await ask('/json')).text, '"</body>"');
    const redirect = await ask('/redirect');
    assert.equal(redirect.status, 303);
    assert.equal([redirect.headers['set-cookie']].flat().length, 2);
    await running.close();
  });

  it("HTTP/2: Node sends, reports and refuses a page's head during the writeHead call", async () => {
    const type = { 'content-type': 'text/html' };
    const thrown: unknown[] = [];
    const attempt = (work: () => unknown): void => {
      try {
        work();
      } catch (error) {
        thrown.push((error as { code?: unknown }).code); // Node's errors have one
      }
    };
    const cases: Readonly<Record<string, (response: Http2ServerResponse) => void>> = {
      '/stream': (response) => response.writeHead(201, type).stream.end(pageHtml),
      '/closed': (response) => response.writeHead(201, type).stream.close(8),
      '/after': (response) => {
        response.writeHead(201, type);
        assert.equal(response.stream.headersSent, true);
        assert.equal(response.getHeader('x-debug-token'), undefined);
        attempt(() => response.writeHead(200));
        attempt(() => response.setHeader('a', 'b'));
        attempt(() => response.stream.additionalHeaders({ ':status': 103 }));
        response.end(pageHtml);
      },
      '/refused': (response) => {
        response.setHeader('etag', ['"a"', '"b"']);
        attempt(() => response.writeHead(201, type));
        assert.equal(response.headersSent, false);
        response.removeHeader('etag');
        response.writeHead(201, { 'content-type': 'text/plain' }).end(pageHtml);
      },
    };
    const server = createSecureServer(tls, ({ url }, response) => cases[url]?.(response));
    const attached = attach(server, { store: 'memory:' });
    const running = await listenOn(server, () => attached.close());
    const ask = askingHttp2(running.port);
    for (const path of ['/stream', '/refused']) {
      const answer = await ask(path);
      assert.deepEqual([answer.status, answer.text], [201, pageHtml], path);
    }
    assertToolbar(await ask('/after'));
    const codes = 'HEADER_SINGLE_VALUE HEADERS_SENT HEADERS_SENT HEADERS_AFTER_RESPOND'.split(' ');
    assert.deepEqual(
      thrown,
      codes.map((code) => `ERR_HTTP2_${code}`),
    );
    assert.equal((await ask('/closed')).status, 201);
    await running.close();
  });

  const overHttp2: Readonly<Record<string, () => Promise<RunningApp>>> = {
    async fastify() {
      const app = fastify({ http2: true, https: tls });
      await app.register(fastifyLookback, { store: 'memory:' });
      app.get('/', (_request, reply) => reply.type('text/html').send(pageHtml));
      await app.listen({ port: 0, host: '127.0.0.1' });
      const { port } = app.server.address() as AddressInfo; // it listens on a port
      return { port, close: () => app.close() };
    },
    async hono() {
      const watching = honoLookback({ store: 'memory:' });
      const app = new Hono();
      app.use(watching);
      app.get('/', (context) => context.html(pageHtml));
      const server = createAdaptorServer({
        fetch: app.fetch,
        createServer: createSecureServer,
        serverOptions: tls,
      });
      return listenOn(server, () => watching.close());
    },
  };
  for (const [name, start] of Object.entries(overHttp2))
    it(`${name}: is in a page over HTTP/2`, async () => {
      const running = await start();
      assertToolbar(await askingHttp2(running.port)('/'));
      await running.close();
    });

  it('attach: a POST with X-HTTP-Method-Override, which the server ignores, is answered and recorded as a POST', async () => {
    const server = createServer(plain);
    const attached = attach(server, { store: 'memory:' });
    const running = await listenOn(server, () => attached.close());
    for (const override of ['nonsense!', 'GET', 'PUT']) {
      const headers = { ...asBrowser, 'X-HTTP-Method-Override': override };
      const url = `http://127.0.0.1:${running.port}`;
      const answer = await fetch(`${url}/head-and-end`, { method: 'POST', headers });
      assert.match(await answer.text(), /<h1>Hello<\/h1>/, override);
      const record = await fetch(`${url}/_profiler/${answer.headers.get('x-debug-token')}.json`);
      const { request } = (await record.json()) as { request: { method: string } };
      assert.equal(request.method, 'POST', override);
    }
    await running.close();
  });

  it('attach: toolbar: false leaves the page unchanged', async () => {
    const server = createServer(plain);
    const attached = attach(server, { store: 'memory:', toolbar: false });
    const running = await listenOn(server, () => attached.close());
    assert.equal((await asking(askHttp, running.port)('/head-and-end')).text, pageHtml);
    await running.close();
  });
});
