import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type {
  ClientHttp2Session,
  IncomingHttpHeaders,
  IncomingHttpStatusHeader,
  OutgoingHttpHeaders,
} from 'node:http2';
import { connect as connectHttp2 } from 'node:http2';
import { get as getHttps } from 'node:https';
import type { Socket } from 'node:net';
import { connect as connectTcp } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { isHttpError } from '#core/errors';
import type { HttpRequest } from '#core/http';
import { HttpResponse, validateRequest } from '#core/http';
import { until } from '../../until.js';
import { statusesOf } from './raw-client.js';
import type { TestServer } from './start-server.js';
import { startServer } from './start-server.js';

const folder = join(process.cwd(), 'test/fixtures/tls');
const tls = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
const ca = readFileSync(tls.cert);

/** Endless streams that were stopped. */
let stoppedSources = 0;
async function answer(request: HttpRequest): Promise<HttpResponse> {
  try {
    validateRequest(request);
    if (request.path === '/echo') return HttpResponse.json(await request.json());
  } catch (error) {
    return HttpResponse.text(String(error), { status: isHttpError(error) ? error.status : 500 });
  }
  switch (request.path) {
    case '/stream':
      return HttpResponse.stream(
        (async function* () {
          yield 'a';
          yield 'b';
        })(),
      );
    case '/endless':
      return HttpResponse.stream(
        (async function* () {
          try {
            for (;;) yield Buffer.alloc(65_536);
          } finally {
            stoppedSources++;
          }
        })(),
      );
    case '/cookies':
      return HttpResponse.text('c').setCookie('a', '1').setCookie('b', '2');
    case '/throw':
      throw new Error('secret');
    default:
      return HttpResponse.text(`${request.source.httpVersion} ${request.method} ${request.url}`);
  }
}

interface Answer {
  readonly headers: IncomingHttpHeaders & IncomingHttpStatusHeader;
  readonly body: string;
}

async function ask(
  session: ClientHttp2Session,
  headers: OutgoingHttpHeaders,
  body?: string,
): Promise<Answer> {
  const stream = session.request(headers, { endStream: body === undefined });
  stream.on('error', () => undefined); // the test checks only the data before it
  if (body !== undefined) stream.end(body);
  const [received] = (await once(stream, 'response')) as [Answer['headers']];
  let text = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  await once(stream, 'close');
  return { headers: received, body: text };
}

describe('C2: HTTPS with HTTP/2 by ALPN', () => {
  let server: TestServer;
  let session: ClientHttp2Session;
  before(async () => {
    server = await startServer(answer, {
      tls,
      // The session stays open while the tests wait for other connections.
      limits: { headerTimeout: 1500, requestTimeout: 5000, keepAliveTimeout: 60_000 },
    });
    session = connectHttp2(server.listening.url, { ca });
    await once(session, 'connect');
  });
  after(async () => {
    session.destroy();
    await server.listening.close({ graceMs: 100 });
  });

  it('responds, with the authority as the host', async () => {
    const { headers, body } = await ask(session, { ':path': '/x?y' });
    assert.equal(headers[':status'], 200);
    assert.equal(body, `2.0 GET ${server.listening.url}/x`);
    assert.equal(headers['connection'], undefined);
    const { sent } = await server.nextTold(server.told.length || 1);
    assert.deepEqual([sent.completed, sent.bodyBytes], [true, body.length]);
  });

  it('has bodies in both directions, streams, HEAD, and separate cookies', async () => {
    assert.equal((await ask(session, { ':path': '/echo', ':method': 'POST' }, '{"a":1}')).body, '{"a":1}');
    assert.equal((await ask(session, { ':path': '/stream' })).body, 'ab');
    assert.equal((await ask(session, { ':path': '/stream', ':method': 'HEAD' })).body, '');
    const { headers } = await ask(session, { ':path': '/cookies' });
    assert.equal(headers['set-cookie']?.length, 2);
  });

  it('an HTTP/2 request is refused where HTTP/1 refuses it', async () => {
    const status = async (headers: OutgoingHttpHeaders, body?: string): Promise<unknown> =>
      (await ask(session, headers, body)).headers[':status'];
    assert.equal(await status({ ':path': '/%zz' }), 400);
    assert.equal(await status({ ':path': '/é' }), 400);
    assert.equal(await status({ ':path': '/', ':authority': 'a..b' }), 400);
    assert.equal(await status({ ':path': '/#a' }), 400);
    assert.equal(await status({ ':path': '/', ':method': 'get' }), 400);
    assert.equal(await status({ ':path': '/', 'x-one': 'a'.repeat(9000), 'x-two': 'a'.repeat(8000) }), 431);
    assert.equal(await status({ ':path': '/', 'x-one': 'a'.repeat(9000) }), 200);
    assert.equal(await status({ ':method': 'CONNECT', ':authority': 'a:1' }), 400);
    assert.equal(await status({ ':path': '/', host: 'other', ':authority': 'one' }), 400);
    assert.equal(await status({ ':path': `/${'a'.repeat(9000)}` }), 414);
    assert.equal(await status({ ':path': '/echo', ':method': 'POST' }, 'x'.repeat(2_000_000)), 413);
    const { headers, body } = await ask(session, { ':path': '/throw' });
    assert.equal(headers[':status'], 500);
    assert.doesNotMatch(body, /secret/);
  });

  it('a stop tells busy clients at once to open no further streams', async () => {
    const stopping = await startServer(answer, { tls });
    const client = connectHttp2(stopping.listening.url, { ca });
    const stream = client.request({ ':path': '/endless' });
    stream.on('error', () => undefined); // it is cut off below
    await once(stream, 'response');
    const told = once(client, 'goaway');
    const stopped = stopping.listening.close({ graceMs: 60_000 });
    await told;
    assert.equal(stream.closed, false, 'the response continues');
    client.destroy();
    await stopped;
  });

  it('a stream that the client resets is reported as not completed, and stops its source', async () => {
    const count = server.told.length;
    const stream = session.request({ ':path': '/endless' });
    stream.on('error', () => undefined);
    await once(stream, 'response');
    stream.close(8);
    const { sent } = await server.nextTold(count + 1);
    assert.equal(sent.completed, false);
    await until(() => stoppedSources === 1);
  });
  it('an HTTP/2 server answers HTTP/1.1 on the same port', async () => {
    const body = await new Promise<string>((resolve, reject) => {
      getHttps(`${server.listening.url}/x`, { ca, agent: false }, (message) => {
        let text = '';
        message.on('data', (chunk: Buffer) => {
          text += chunk.toString();
        });
        message.on('end', () => resolve(text));
      }).on('error', reject);
    });
    assert.equal(body, `1.1 GET ${server.listening.url}/x`);
  });

  it('HTTP/1.1 over TLS has the same refusals, limits and time-outs', async () => {
    assert.deepEqual(statusesOf(await overTls('BAD\r\n\r\n')), [400]);
    assert.deepEqual(statusesOf(await overTls('GET / HTTP/1.1\r\nConnection: close\r\n\r\n')), [400]);
    assert.deepEqual(
      statusesOf(await overTls(`GET / HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`)),
      [431],
    );
    assert.deepEqual(statusesOf(await overTls('GET / HTTP/1.1\r\nHost: a\r\n')), [408]);
  });

  it('HTTP/1.1 over TLS: an idle connection is closed after the time-out, whatever was sent over it', async () => {
    await using kept = await startServer(answer, { tls, limits: { keepAliveTimeout: 100 } });
    for (const path of ['/small', '/stream']) {
      const socket = connectTls({ port: kept.port, host: '127.0.0.1', ca, servername: 'localhost' });
      socket.resume().write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
      await once(socket, 'close');
    }
    assert.equal(kept.told.length, 2);
  });

  it('survives garbage instead of HTTP/2 frames, plain HTTP, and half a handshake', async () => {
    const count = server.told.length;
    await closed(
      connectTls({ port: server.port, host: '127.0.0.1', ca, ALPNProtocols: ['h2'] }),
      'junk '.repeat(20),
    );
    await closed(connectTcp(server.port, '127.0.0.1'), 'GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await closed(connectTcp(server.port, '127.0.0.1'), '\x16\x03\x01\x00\x05hello');
    const { sent, request } = await server.nextTold(count + 1);
    assert.equal(sent.completed, false);
    assert.notEqual(request.source.failure, undefined);
    const later = connectHttp2(server.listening.url, { ca }); // the first one may have been closed as idle
    assert.equal((await ask(later, { ':path': '/' })).headers[':status'], 200);
    later.close();
  });

  function overTls(bytes: string): Promise<string> {
    return new Promise((resolve) => {
      const socket = connectTls({ port: server.port, host: '127.0.0.1', ca, ALPNProtocols: ['http/1.1'] });
      let received = '';
      socket.on('data', (chunk: Buffer) => {
        received += chunk.toString('latin1');
      });
      socket.on('error', () => undefined);
      socket.on('close', () => resolve(received));
      socket.write(bytes);
    });
  }
});

async function closed(socket: Socket, bytes: string): Promise<void> {
  socket.on('error', () => undefined);
  socket.resume();
  const end = once(socket, 'close');
  socket.end(bytes);
  await end;
}
