import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Server as TcpServer } from 'node:net';
import { after, before, describe, it } from 'node:test';
import * as zlib from 'node:zlib';
import express from 'express';
import { createApp, HttpResponse } from 'lookback';
import { toNodeHandler } from 'lookback/attach';
import { compression } from 'lookback/web';
import { listenOn } from '../../attach/apps/listen.js';
import { overTransports } from './over-transports.js';

const text = JSON.stringify({ hello: 'w'.repeat(2000) });
const coders: Readonly<Record<string, (body: Buffer) => Buffer>> = {
  plain: (body) => body,
  gzip: zlib.gzipSync,
  'x-gzip': zlib.gzipSync,
  br: zlib.brotliCompressSync,
  deflate: zlib.deflateSync,
  'deflate, gzip': (body) => zlib.gzipSync(zlib.deflateSync(body)),
  GZIP: zlib.gzipSync,
};
const framings = ['length', 'chunked'];

/** Answers `/{coding}/{framing}`, and some special paths. */
function answerUpstream(url: string, method: string, response: ServerResponse): void {
  const [, first = '', framing] = decodeURIComponent(url).split('/');
  if (first === 'empty') return void response.writeHead(204, { 'Content-Encoding': 'gzip' }).end();
  if (first === 'same')
    return void response.writeHead(304, { 'Content-Encoding': 'gzip', ETag: '"a"' }).end();
  if (first === 'moved')
    return void response.writeHead(302, { Location: '/x', 'Set-Cookie': ['a=1', 'b=2'] }).end('moved');
  if (first === 'unknown') {
    response.writeHead(200, { 'Content-Encoding': 'own', 'Content-Length': '3' });
    return void response.end('own');
  }
  if (first === 'partial') {
    response.writeHead(206, { 'Content-Range': 'bytes 0-2/9', 'Content-Length': '3' });
    return void response.end('abc');
  }
  const body = coders[first]?.(Buffer.from(text)) ?? Buffer.from('no such coding');
  response.writeHead(200, {
    'Content-Type': 'application/json',
    ETag: '"upstream"',
    'Content-Digest': 'sha-256=:of what was sent:',
    'Set-Cookie': ['a=1; Path=/', 'b=2; Expires=Wed, 21 Oct 2099 07:28:00 GMT'],
    Vary: 'Accept-Encoding',
    ...(first === 'plain' ? {} : { 'Content-Encoding': first }),
    ...(framing === 'length' ? { 'Content-Length': body.length } : {}),
  });
  response.end(method === 'HEAD' ? undefined : body);
}

let upstream: Server | undefined;
let origin = '';
/** Sends raw bytes: connection header fields, and a body that is cut off. */
let raw: TcpServer | undefined;
let rawOrigin = '';

before(async () => {
  upstream = createServer((request, response) =>
    answerUpstream(request.url ?? '/', request.method ?? 'GET', response),
  ).listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  origin = originOf(upstream);
  raw = createTcpServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (head) => {
      const isCut = String(head).startsWith('GET /cut');
      socket.end(
        'HTTP/1.1 200 OK\r\nConnection: close, X-Between\r\nKeep-Alive: timeout=9\r\nX-Between: 1\r\nX-End: 2\r\n' +
          `TE: trailers\r\nUpgrade: h2c\r\nContent-Length: ${isCut ? 9 : 2}\r\n\r\nok`,
      );
    });
  }).listen(0, '127.0.0.1');
  await once(raw, 'listening');
  rawOrigin = originOf(raw);
});
after(() => {
  upstream?.closeAllConnections();
  upstream?.close();
  raw?.close();
});

function originOf(server: Server | TcpServer): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on a port
}

type Returned = (response: Response) => Response | HttpResponse;
const ways: Readonly<Record<string, Returned>> = {
  itself: (response) => response,
  'from-web': (response) => HttpResponse.fromWeb(response),
  clone: (response) => response.clone(),
};

type Copied = (response: Response) => Promise<Response | HttpResponse>;
const copies: Readonly<Record<string, Copied>> = {
  'copied-stream': async (fetched) => new Response(fetched.body, fetched),
  'copied-headers': async ({ body, headers }) => new Response(body, { headers }),
  'copied-text': async (fetched) => new Response(await fetched.text(), fetched),
  'copied-bytes': async (fetched) => new Response(await fetched.arrayBuffer(), fetched),
  piped: async (fetched) => new Response(fetched.body?.pipeThrough(new TransformStream()), fetched),
  'own-stream': async ({ body, headers }) =>
    HttpResponse.stream(body, { headers: Object.fromEntries(headers) }),
  'own-text': async (fetched) =>
    new HttpResponse(await fetched.text(), { headers: Object.fromEntries(fetched.headers) }),
};

overTransports(
  'a Response with the fields of one of fetch()',
  () => ({
    options: {},
    define: (app) => {
      for (const [name, copied] of Object.entries(copies))
        app.get(`/${name}/{path<.+>}`, async ({ params }) =>
          copied(await fetch(`${origin}/${params.path.split('/').map(encodeURIComponent).join('/')}`)),
        );
    },
  }),
  (bench) => {
    for (const way of Object.keys(copies))
      it(`is sent decoded, without the header fields about the compressed body: ${way}`, async () => {
        for (const coding of Object.keys(coders))
          for (const framing of framings) {
            const path = `/${way}/${encodeURIComponent(coding)}/${framing}`;
            const answer = await bench().ask(path, { headers: { 'accept-encoding': 'gzip' } });
            assert.deepEqual([answer.status, answer.text], [200, text], path);
            assert.equal(answer.field('content-encoding'), undefined, path);
            const length = answer.field('content-length');
            if (length !== undefined) assert.equal(length, String(text.length), path);
            if (coding !== 'plain') assert.equal(answer.field('content-digest'), undefined, path);
            assert.equal(answer.field('content-type'), 'application/json');
          }
      });
  },
);

overTransports(
  'a Response of fetch()',
  () => ({
    options: {},
    define: (app) => {
      for (const [name, returned] of Object.entries(ways))
        app.any(`/${name}/{path<.+>}`, async ({ request, params }) => {
          const path = params.path.split('/').map(encodeURIComponent).join('/');
          const { method } = request;
          return returned(await fetch(`${origin}/${path}`, { method, redirect: 'manual' }));
        });
      app.get('/raw', async () => fetch(`${rawOrigin}/whole`));
      app.get('/cut', async () => fetch(`${rawOrigin}/cut`));
      app.get('/head-as-get', async () => fetch(`${origin}/gzip/length`, { method: 'HEAD' }));
      app.get('/constructed', () => {
        const headers = { 'Content-Encoding': 'gzip', 'Content-Type': 'application/json' };
        return new Response(new Uint8Array(zlib.gzipSync(text)), { headers });
      });
    },
  }),
  (bench) => {
    for (const way of Object.keys(ways))
      it(`is sent decoded, whatever the upstream compressed it with: ${way}`, async () => {
        for (const coding of Object.keys(coders))
          for (const framing of framings) {
            const path = `/${way}/${encodeURIComponent(coding)}/${framing}`;
            const answer = await bench().ask(path, { headers: { 'accept-encoding': 'gzip' } });
            assert.equal(answer.text, text, path);
            assert.equal(answer.field('content-encoding'), undefined, path);
            const length = answer.field('content-length');
            if (length !== undefined) assert.equal(length, String(text.length), path);
            const digest = coding === 'plain' ? 'sha-256=:of what was sent:' : undefined;
            assert.equal(answer.field('content-digest'), digest, path);
            assert.equal(
              answer.field('set-cookie'),
              'a=1; Path=/, b=2; Expires=Wed, 21 Oct 2099 07:28:00 GMT',
            );
            assert.equal(answer.field('content-type'), 'application/json');
          }
      });

    it('a HEAD has the header fields of the GET, and no length of the compressed body', async () => {
      for (const path of ['/itself/gzip/length', '/itself/br/length']) {
        const answer = await bench().ask(path, { method: 'HEAD' });
        assert.deepEqual(
          [answer.status, answer.text, answer.field('content-encoding'), answer.field('content-length')],
          [200, '', undefined, undefined],
        );
      }
      assert.equal(
        (await bench().ask('/itself/plain/length', { method: 'HEAD' })).field('content-length'),
        String(text.length),
      );
      const asGet = await bench().ask('/head-as-get');
      assert.deepEqual([asGet.status, asGet.text], [200, '']);
    });

    it('a response without a body stays without one: 204 and 304', async () => {
      for (const [path, status] of [
        ['/itself/empty', 204],
        ['/itself/same', 304],
      ] as const) {
        const answer = await bench().ask(path);
        assert.deepEqual(
          [answer.status, answer.text, answer.field('content-encoding')],
          [status, '', undefined],
        );
      }
    });

    it('a body that fetch() does not decode keeps its coding, and a partial one its range', async () => {
      const own = await bench().ask('/itself/unknown');
      assert.deepEqual([own.text, own.field('content-encoding')], ['own', 'own']);
      const part = await bench().ask('/itself/partial');
      assert.deepEqual([part.status, part.text, part.field('content-range')], [206, 'abc', 'bytes 0-2/9']);
      const moved = await bench().ask('/itself/moved');
      assert.deepEqual(
        [moved.status, moved.field('location'), moved.field('set-cookie')],
        [302, '/x', 'a=1, b=2'],
      );
    });

    it('loses the header fields about the upstream connection', async () => {
      const answer = await bench().ask('/raw');
      assert.equal(answer.text, 'ok');
      for (const name of ['x-between', 'te', 'upgrade']) assert.equal(answer.field(name), undefined, name);
      assert.notEqual(answer.field('keep-alive'), 'timeout=9');
      assert.equal(answer.field('x-end'), '2');
    });

    it('is cut off for the client too if the upstream cuts it off', async () => {
      const cut = await bench()
        .ask('/cut')
        .then(
          ({ status }) => status,
          () => 'cut',
        );
      assert.ok(cut === 'cut' || cut === 500 || cut === 502, String(cut));
    });

    it('a Response that the application constructs compressed keeps its coding', async () => {
      const answer = await bench().ask('/constructed');
      assert.equal(answer.field('content-encoding'), 'gzip');
      assert.equal(zlib.gunzipSync(answer.bytes).toString(), text);
    });
  },
);

describe('a Response from fetch(), elsewhere', () => {
  const quiet = { configuration: { profilerStore: 'off' }, logHandlers: [] } as const;

  it('is compressed again by compression(), with one coding', async () => {
    const app = createApp({ ...quiet, extensions: [compression({ privateAnswers: true })] });
    app.get('/', async () => fetch(`${origin}/br/length`));
    const { url } = await app.listen({ port: 0 });
    try {
      const answer = await fetch(url, { headers: { 'accept-encoding': 'gzip' } });
      assert.deepEqual([answer.headers.get('content-encoding'), await answer.text()], ['gzip', text]);
    } finally {
      await app.close();
    }
  });

  it('is sent decoded by a mounted application, and by a mounted function that fetches', async () => {
    const app = createApp(quiet);
    app.get('/{coding}/{framing}', async ({ request }) => fetch(origin + request.path));
    const mountable = [app, { fetch: (request: Request) => fetch(origin + new URL(request.url).pathname) }];
    for (const mounted of mountable) {
      const server = await listenOn(createServer(express().use(toNodeHandler(mounted))));
      try {
        for (const path of ['plain/length', 'gzip/length', 'gzip/chunked', 'br/length', 'deflate/chunked']) {
          const answer = await fetch(`http://127.0.0.1:${server.port}/${path}`);
          assert.equal(await answer.text(), text, path);
          assert.equal(answer.headers.getSetCookie().length, 2);
        }
      } finally {
        await server.close();
      }
    }
    await app.close();
  });
});
