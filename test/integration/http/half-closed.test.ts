import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo, Socket } from 'node:net';
import { connect as connectTcp, createServer as createTcp } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { ConnectionOptions, SecureVersion } from 'node:tls';
import { connect as connectTls } from 'node:tls';
import type { HttpRequest } from '#core/http';
import { HttpResponse, validateRequest } from '#core/http';
import { statusesOf } from './raw-client.js';
import type { TestServer } from './start-server.js';
import { startServer } from './start-server.js';
import { until } from '../../until.js';

const folder = join(process.cwd(), 'test/fixtures/tls');
const tls = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
const ca = readFileSync(tls.cert);
const manyBytes = 2_000_000;
/** Longer than a test may take, so anything that ends within a test did not wait for a time-out. */
const longTimeouts = { headerTimeout: 900_000, requestTimeout: 900_000, keepAliveTimeout: 900_000 };

type Transport = 'TCP' | SecureVersion;

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

/** Node's client supports half-open sockets with this option, but its types lack it. */
function optionsOf(
  port: number,
  protocol: string,
  version: SecureVersion,
): ConnectionOptions & { allowHalfOpen: true } {
  return {
    port,
    host: '127.0.0.1',
    ca,
    servername: 'localhost',
    ALPNProtocols: [protocol],
    minVersion: version,
    maxVersion: version,
    allowHalfOpen: true,
  };
}

/** Over TLS, resolves after the handshake. */
async function open(port: number, transport: Transport): Promise<Socket> {
  const socket =
    transport === 'TCP'
      ? connectTcp({ port, host: '127.0.0.1', allowHalfOpen: true })
      : connectTls(optionsOf(port, 'http/1.1', transport));
  await once(socket, transport === 'TCP' ? 'connect' : 'secureConnect');
  return socket;
}

/** Sends the bytes, closes our side, and returns everything received. */
async function sendAndEnd(socket: Socket, bytes: string): Promise<string> {
  const received = readAll(socket);
  socket.end(bytes);
  return received;
}

async function readAll(socket: Socket): Promise<string> {
  let received = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    received += text;
  });
  await once(socket, 'end');
  return received;
}

/** The paths of the requests that have begun. */
const asked: string[] = [];

async function answer(request: HttpRequest): Promise<HttpResponse> {
  asked.push(request.path);
  try {
    validateRequest(request);
  } catch {
    return HttpResponse.text('refused', { status: 400 });
  }
  if (request.path === '/late') await clientClosed(request);
  if (request.path === '/echo') {
    const text = await request.text();
    await clientClosed(request);
    return HttpResponse.text(text);
  }
  if (request.path === '/stream') {
    return HttpResponse.stream(
      (async function* () {
        yield 'begin.';
        await clientClosed(request);
        yield 'x'.repeat(manyBytes);
        yield '.end';
      })(),
    );
  }
  return HttpResponse.text(`answer to ${request.path}`);
}

/** Waits until the server has seen that the client closed its side, and has had time to react. */
async function clientClosed({ signal }: HttpRequest): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
  await new Promise((resolve) => setTimeout(resolve, 40)); // no event signals that the server does nothing
}

function start(transport: Transport, limits: object = {}): Promise<TestServer> {
  return startServer(answer, {
    limits: { ...longTimeouts, ...limits },
    ...(transport === 'TCP' ? {} : { tls }),
  });
}

for (const transport of ['TCP', 'TLSv1.2', 'TLSv1.3'] as const) {
  describe(`a client that closes its sending side, HTTP/1.1 over ${transport}`, () => {
    it('gets a response that was not ready yet', async () => {
      await using server = await start(transport);
      const received = await sendAndEnd(await open(server.port, transport), get('/late'));
      assert.deepEqual(statusesOf(received), [200]);
      assert.ok(received.endsWith('answer to /late'));
      assert.equal((await server.nextTold()).sent.completed, true);
    });

    it('gets the response to a body, and all responses to pipelined requests', async () => {
      await using server = await start(transport);
      const post = 'POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody';
      assert.ok((await sendAndEnd(await open(server.port, transport), post)).endsWith('body'));
      const row = get('/one') + get('/late') + get('/three');
      const received = await sendAndEnd(await open(server.port, transport), row);
      assert.deepEqual(received.match(/answer to \S+?(?=HTTP|$)/g), [
        'answer to /one',
        'answer to /late',
        'answer to /three',
      ]);
    });

    it('gets a stream to its end', async () => {
      await using server = await start(transport);
      const received = await sendAndEnd(await open(server.port, transport), get('/stream'));
      assert.equal(received.match(/x/g)?.length, manyBytes);
      assert.ok(received.endsWith('.end\r\n0\r\n\r\n'));
      assert.equal((await server.nextTold()).sent.completed, true);
    });

    it('is told that its request is refused if it closed in the middle of the request', async () => {
      await using server = await start(transport);
      const received = await sendAndEnd(await open(server.port, transport), 'GET / HTTP/1.1\r\nHost: a\r\n');
      assert.deepEqual(statusesOf(received), [400]);
      assert.equal((await server.nextTold()).sent.completed, true);
    });

    it('is released immediately if no response is due', async () => {
      await using server = await start(transport);
      assert.equal(await sendAndEnd(await open(server.port, transport), ''), '');
      const kept = await open(server.port, transport);
      kept.write(get('/kept'));
      await once(kept, 'data');
      assert.equal(await sendAndEnd(kept, ''), '');
    });

    it('is released if its stream sends nothing for many times the write time-out', async () => {
      await using server = await startServer(
        () =>
          HttpResponse.stream(
            (async function* () {
              yield 'begin.';
              await new Promise(() => undefined);
            })(),
          ),
        { limits: { ...longTimeouts, writeTimeout: 20 }, ...(transport === 'TCP' ? {} : { tls }) },
      );
      const socket = await open(server.port, transport);
      socket.on('error', () => undefined); // a reset may release it
      socket.write(get('/'));
      await once(socket, 'data');
      await new Promise((resolve) => setTimeout(resolve, 400)); // an open client is waited for
      assert.equal(server.told.length, 0);
      socket.resume().end();
      await once(socket, 'close');
      assert.equal((await server.nextTold()).sent.completed, false);
    });
  });
}

describe('a client that has left altogether, without TLS', () => {
  it('gets no response: neither a later one, nor the end of a stream', async () => {
    await using server = await start('TCP');
    asked.length = 0;
    for (const path of ['/late', '/stream']) {
      const socket = await open(server.port, 'TCP');
      socket.on('error', () => undefined).write(get(path));
      if (path === '/stream') await once(socket, 'data');
      else await until(() => asked.includes(path));
      socket.destroy();
      const { sent } = await server.nextTold(path === '/late' ? 1 : 2);
      assert.deepEqual([path, sent.completed], [path, false]);
    }
  });
});

describe('over TLS, a client that has left without an HTTP/1.1 request', () => {
  /** Everything that Node's client sends in a handshake before it waits. */
  function clientHello(): Promise<Buffer> {
    return new Promise((resolve) => {
      const listener = createTcp((socket) => {
        socket
          .on('error', () => undefined)
          .once('data', (bytes: Buffer) => {
            resolve(bytes);
            socket.destroy();
            listener.close();
          });
      }).listen(0, '127.0.0.1', () => {
        connectTls({ port: (listener.address() as AddressInfo).port }).on('error', () => undefined); // a TCP server
      });
    });
  }

  async function openHttp2(port: number): Promise<Socket> {
    const socket = connectTls(optionsOf(port, 'h2', 'TLSv1.3'));
    await once(socket, 'secureConnect');
    // Its preface, and SETTINGS that change nothing.
    socket.write(Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), frame(4, 0, 0)]));
    await once(socket, 'data');
    return socket;
  }

  it('ends its handshake when it closes its side', async () => {
    await using server = await start('TLSv1.3');
    const hello = await clientHello();
    for (const bytes of [Buffer.of(), hello.subarray(0, 50), hello]) {
      const socket = connectTcp({ port: server.port, host: '127.0.0.1', allowHalfOpen: true });
      socket.on('error', () => undefined).resume(); // a reset may release it
      socket.end(bytes);
      await Promise.race([once(socket, 'end'), once(socket, 'close')]);
      socket.destroy();
    }
  });

  it('ends its HTTP/2 session, including requests in it', async () => {
    let asked = false;
    await using server = await startServer(
      (request) => {
        asked = true;
        return new Promise((resolve) => {
          request.signal.addEventListener('abort', () => resolve(HttpResponse.empty()));
        });
      },
      { tls, limits: longTimeouts },
    );
    const idle = await openHttp2(server.port);
    assert.notEqual(await sendAndEnd(idle, ''), undefined);
    const busy = await openHttp2(server.port);
    // HEADERS with END_HEADERS and END_STREAM: GET, https, / and the authority `a`, from HPACK's static table.
    busy.write(frame(1, 5, 1, Buffer.from([0x82, 0x87, 0x84, 0x41, 1, 0x61])));
    await until(() => asked);
    await sendAndEnd(busy, '');
    assert.equal((await server.nextTold()).sent.completed, false);
  });

  it('does not delay a stop, and neither does a connected client that has sent no request', async () => {
    const server = await start('TLSv1.3');
    const hello = await clientHello();
    const strangers = [Buffer.of(), hello].map((bytes) => connectTcp(server.port, '127.0.0.1').end(bytes));
    const quiet = await open(server.port, 'TLSv1.2');
    const session = await openHttp2(server.port);
    const ended = await open(server.port, 'TLSv1.3');
    const kept = await open(server.port, 'TLSv1.3');
    kept.write(get('/kept'));
    await once(kept, 'data');
    for (const socket of [...strangers, quiet, session, ended, kept]) {
      socket.on('error', () => undefined).resume(); // a reset may release it
    }
    ended.end();
    session.end();
    await server.listening.close({ graceMs: 900_000 });
    for (const socket of [quiet, session, ended, kept]) socket.destroy();
  });

  it('delays a stop if it closed its side while a response to it was due', async () => {
    let begun = false;
    const server = await startServer(
      async (request) => {
        begun = true;
        await clientClosed(request);
        return HttpResponse.text('owed');
      },
      { tls, limits: longTimeouts },
    );
    const socket = await open(server.port, 'TLSv1.3');
    const received = readAll(socket);
    socket.write(get('/'));
    await until(() => begun);
    const stopped = server.listening.close({ graceMs: 900_000 });
    socket.end();
    assert.ok((await received).endsWith('owed'));
    await stopped;
    assert.equal(server.told[0]?.sent.completed, true);
  });
});

/** RFC 9113 section 4.1. */
function frame(type: number, flags: number, stream: number, payload: Buffer = Buffer.of()): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}
