import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2';
import { connect as connectHttp2, constants } from 'node:http2';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { isHttpError } from '#core/errors';
import { HttpResponse } from '#core/http';
import { until, untilStill } from '../../until.js';
import { startServer, type TestServer } from './start-server.js';
import { tlsFiles } from './transports.js';

const ca = readFileSync(tlsFiles.cert);
const large = 'x'.repeat(200_000);
const quick = { headerTimeout: 400, requestTimeout: 400, writeTimeout: 400 };

/** A client that accepts no bytes of any body until it raises its windows. */
function openUnreading(server: TestServer): ClientHttp2Session {
  const session = connectHttp2(server.listening.url, { ca, settings: { initialWindowSize: 0 } });
  session.on('error', () => undefined);
  return session;
}

function send(session: ClientHttp2Session, path = '/', method = 'GET'): ClientHttp2Stream {
  const stream = session.request({ ':path': path, ':method': method }, { endStream: method === 'GET' });
  return stream.on('error', () => undefined).resume();
}

describe('HTTP/2: responses of 200 KB that the client does not read', () => {
  for (const kind of ['at once', 'later'] as const) {
    it(`hold back all requests after the first few, if answered ${kind}, until the client reads`, async () => {
      let begun = 0;
      await using server = await startServer(
        async () => {
          begun += 1;
          if (kind === 'later') await new Promise(setImmediate);
          return HttpResponse.text(large);
        },
        { tls: tlsFiles },
      );
      const first = connectHttp2(server.listening.url, { ca });
      await once(send(first), 'close'); // from then on, the server knows how large its responses are
      first.destroy();
      begun = 0;
      const session = openUnreading(server);
      const streams = Array.from({ length: 90 }, () => send(session));
      await until(() => begun > 0);
      await untilStill(() => begun);
      assert.ok(begun <= 12, `${begun} of 90 requests were begun`);
      session.settings({ initialWindowSize: 1_000_000 });
      session.setLocalWindowSize(100_000_000);
      await Promise.all(streams.map((stream) => once(stream, 'close')));
      assert.equal(begun, 90);
      session.destroy();
    });
  }

  it('do not affect small responses: 90 concurrent requests are in progress together', async () => {
    let begun = 0;
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    await using server = await startServer(
      async () => {
        begun += 1;
        await released;
        return HttpResponse.text('small');
      },
      { tls: tlsFiles },
    );
    const session = connectHttp2(server.listening.url, { ca });
    const streams = Array.from({ length: 90 }, () => send(session));
    await until(() => begun === 90);
    release();
    await Promise.all(streams.map((stream) => once(stream, 'close')));
    session.destroy();
  });

  it('start no request for streams that are reset while they wait', async () => {
    let begun = 0;
    await using server = await startServer(
      () => {
        begun += 1;
        return HttpResponse.text(large);
      },
      { tls: tlsFiles },
    );
    const session = openUnreading(server);
    const streams = Array.from({ length: 50 }, () => send(session));
    await until(() => begun > 0);
    await untilStill(() => begun);
    const before = begun;
    for (const stream of streams.reverse()) stream.close(constants.NGHTTP2_CANCEL); // those that wait first
    await server.nextTold(before);
    session.settings({ initialWindowSize: 1_000_000 });
    await once(send(session), 'close');
    assert.equal(begun, before + 1);
    session.destroy();
  });
});

describe('HTTP/2: a time-out ends', () => {
  it('the connection of a client that does not read a response or an endless stream', async () => {
    await using server = await startServer(
      ({ path }) => (path === '/endless' ? HttpResponse.stream(endless()) : HttpResponse.text(large)),
      { tls: tlsFiles, limits: quick },
    );
    for (const path of ['/large', '/endless']) {
      const session = openUnreading(server);
      const pings = setInterval(() => void session.ping(() => undefined), 50);
      send(session, path);
      await once(session, 'close');
      clearInterval(pings);
    }
    assert.deepEqual(
      server.told.map(({ sent }) => sent.completed),
      [false, false],
    );
  });

  it('a request whose body does not end, however slowly it arrives: its reader gets 408', async () => {
    await using server = await startServer(
      async (request) => {
        try {
          return HttpResponse.text(await request.text());
        } catch (error) {
          return HttpResponse.text(String(error), { status: isHttpError(error) ? error.status : 500 });
        }
      },
      { tls: tlsFiles, limits: quick },
    );
    const session = connectHttp2(server.listening.url, { ca });
    for (const isSlow of [false, true]) {
      const stream = send(session, '/', 'POST');
      stream.write('a');
      const drip = isSlow ? setInterval(() => stream.write('a'), 50) : undefined;
      const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
      assert.equal(headers[':status'], 408);
      if (!stream.closed) await once(stream, 'close');
      clearInterval(drip);
    }
    session.destroy();
  });

  it('a request whose body does not end and is not read, while its response is awaited', async () => {
    await using server = await startServer(() => new Promise<never>(() => undefined), {
      tls: tlsFiles,
      limits: quick,
    });
    const session = connectHttp2(server.listening.url, { ca });
    const stream = send(session, '/', 'POST');
    stream.write('a');
    await new Promise((resolve) => stream.once('close', resolve));
    assert.notEqual(stream.rstCode, 0);
    session.destroy();
  });

  it('a connection without a request: silent, or with a header block that does not end', async () => {
    await using server = await startServer(() => HttpResponse.text('ok'), { tls: tlsFiles, limits: quick });
    for (const bytes of [preface, Buffer.concat([preface, unfinishedHeaders])]) {
      const socket = openRaw(server.port);
      socket.write(bytes);
      await once(socket, 'close');
    }
    assert.equal(server.told.length, 0);
  });

  it('no stream that has nothing to send', async () => {
    await using server = await startServer(
      ({ path }) => (path === '/quiet' ? HttpResponse.stream(quiet()) : HttpResponse.text('ok')),
      { tls: tlsFiles, limits: quick },
    );
    const session = connectHttp2(server.listening.url, { ca });
    const stream = send(session, '/quiet');
    await once(stream, 'response');
    for (let round = 0; round < 3; round++) {
      const idle = openRaw(server.port); // lives as long as the time-outs
      idle.write(preface);
      await once(idle, 'close');
    }
    assert.equal(stream.closed, false);
    session.destroy();
  });
});

describe('limits: a requestTimeout below the default headerTimeout', () => {
  for (const tls of [undefined, tlsFiles])
    it(`also bounds the header block${tls ? ', over TLS' : ''}`, async () => {
      await using server = await startServer(() => HttpResponse.text('ok'), {
        limits: { requestTimeout: 300 },
        tls,
      });
      const socket =
        tls === undefined
          ? connect(server.port, '127.0.0.1')
          : connectTls({ port: server.port, host: '127.0.0.1', ca, servername: 'localhost' });
      socket.on('error', () => undefined).write('GET / HTTP/1.1\r\nHost: a\r\n');
      await once(socket.resume(), 'close');
      assert.deepEqual(
        server.told.map(({ request }) => request.source.failure !== undefined),
        [true],
      );
    });
});

const preface = Buffer.concat([
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]), // empty SETTINGS
]);
/** HEADERS of stream 1 without END_HEADERS: `:method: GET`. */
const unfinishedHeaders = Buffer.from([0, 0, 1, 1, 0, 0, 0, 0, 1, 0x82]);

function openRaw(port: number): TLSSocket {
  const socket = connectTls({ port, host: '127.0.0.1', ca, servername: 'localhost', ALPNProtocols: ['h2'] });
  return socket.on('error', () => undefined).resume();
}

async function* endless(): AsyncGenerator<Uint8Array> {
  for (;;) yield Buffer.alloc(65_536);
}

async function* quiet(): AsyncGenerator<string> {
  yield 'first';
  await new Promise(() => undefined);
}
