import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { inspect } from 'node:util';
import { HttpResponse } from '#core/http';
import { createNodeServer } from '#core/http/node';
import { exchangeBytes, statusesOf } from './raw-client.js';
import { startServer } from './start-server.js';
import { until } from '../../until.js';

const get = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const tls = join(process.cwd(), 'test/fixtures/tls');

describe('stopping', () => {
  it('finishes requests in flight, sends Connection: close, and closes idle connections immediately', async () => {
    let release: (() => void) | undefined;
    const server = await startServer(
      () => new Promise((resolve) => (release = (): void => resolve(HttpResponse.text('done')))),
    );
    const idle = connect(server.port, '127.0.0.1').on('error', () => undefined);
    await once(idle, 'connect');
    const busy = exchangeBytes(server.port, get, { keepOpen: true });
    await until(() => release !== undefined);
    const closing = server.listening.close({ graceMs: 900_000 });
    await once(idle.resume(), 'close');
    release?.();
    const received = await busy;
    await closing;
    assert.match(received, /Connection: close\r\n[^]*done$/);
    assert.equal(server.told[0]?.sent.completed, true);
    await assert.rejects(once(connect(server.port, '127.0.0.1'), 'connect'), /ECONNREFUSED/);
    idle.destroy();
  });

  it('answers a connection opened earlier whose request is still on its way', async () => {
    const server = await startServer(() => HttpResponse.text('done'));
    const client = connect(server.port, '127.0.0.1');
    await once(client, 'connect');
    await new Promise((resolve) => setImmediate(resolve)); // it is accepted
    const closing = server.listening.close({ graceMs: 5000 });
    let received = '';
    client.setEncoding('utf8').on('data', (text) => (received += String(text)));
    client.write(get);
    await once(client, 'close');
    assert.match(received, /Connection: close\r\n[^]*done$/);
    await closing;
  });

  for (const scheme of ['http', 'https'] as const) {
    it(`${scheme}: finishes responses that their clients are still reading`, async () => {
      const body = 'x'.repeat(20_000_000);
      const files = { cert: join(tls, 'cert.pem'), key: join(tls, 'key.pem') };
      const server = await startServer(
        () => HttpResponse.text(body),
        scheme === 'http' ? {} : { tls: files },
      );
      const address = { host: '127.0.0.1', port: server.port, servername: 'localhost' };
      const socket =
        scheme === 'http' ? connect(address) : connectTls({ ...address, ca: readFileSync(files.cert) });
      socket.write(get);
      await once(socket, 'readable'); // without reading
      const closing = server.listening.close({ graceMs: 60_000 });
      let bytes = 0;
      socket.on('data', (chunk: Buffer) => {
        bytes += chunk.byteLength;
      });
      await once(socket, 'close');
      await closing;
      assert.ok(bytes > body.length);
      assert.equal(server.told[0]?.sent.completed, true);
    });
  }

  it('cuts off responses that do not end within the grace period, and reports it', async () => {
    let begun = false;
    const server = await startServer(() =>
      HttpResponse.stream(
        (async function* () {
          for (;;) {
            yield 'x';
            begun = true;
            await new Promise((resolve) => setTimeout(resolve, 10)); // the pace of the stream
          }
        })(),
      ),
    );
    const endless = exchangeBytes(server.port, get, { keepOpen: true });
    await until(() => begun);
    await server.listening.close({ graceMs: 100 });
    assert.deepEqual(statusesOf(await endless), [200]);
    assert.equal((await server.nextTold()).sent.completed, false);
  });

  it('waits for work that terminate started', async () => {
    let write: (() => void) | undefined;
    const server = await startServer(() => HttpResponse.text('ok'), {
      terminate: () => new Promise<void>((resolve) => (write = resolve)),
    });
    await exchangeBytes(server.port, get);
    await until(() => write !== undefined);
    let closed = false;
    const closing = server.listening.close().then(() => (closed = true));
    await assert.rejects(once(connect(server.port, '127.0.0.1'), 'connect'), /ECONNREFUSED/);
    assert.equal(closed, false);
    write?.();
    await closing;
  });
});

describe('starting', () => {
  const make = (options = {}): ReturnType<typeof createNodeServer> =>
    createNodeServer({ handle: () => HttpResponse.empty(), ...options });

  it('reports a busy port and what to do', async () => {
    const other = createServer();
    other.listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    assert.ok(typeof address === 'object' && address !== null);
    await assert.rejects(make().listen({ port: address.port }), {
      code: 'HTTP_PORT_BUSY',
      message: `Port ${address.port} on 127.0.0.1 is already in use.`,
      fix: `Stop the other program, or choose another port: PORT=${address.port + 1}.`,
    });
    other.close();
  });

  it('reports a host that does not belong to this machine', async () => {
    await assert.rejects(make().listen({ host: '192.0.2.1', port: 0 }), {
      code: 'HTTP_LISTEN_FAILED',
      message: /192\.0\.2\.1/,
    });
  });

  it('reports a certificate or key that cannot be read or used', () => {
    const cert = join(tls, 'cert.pem');
    const key = join(tls, 'key.pem');
    assert.throws(() => make({ tls: { cert: '/none.pem', key } }), {
      code: 'HTTP_TLS_UNREADABLE',
      message: 'The TLS certificate /none.pem cannot be read (ENOENT).',
      fix: 'Set TLS_CERT to the path of a PEM file that this user can read.',
    });
    assert.throws(() => make({ tls: { cert, key: dirname(key) } }), {
      code: 'HTTP_TLS_UNREADABLE',
      message: `The TLS key ${dirname(key)} cannot be read (EISDIR).`,
    });
    assert.throws(() => make({ tls: { cert: key, key } }), {
      code: 'HTTP_TLS_INVALID',
      message: /key\.pem/,
    });
    const text = '-----BEGIN PRIVATE KEY-----\nc4n4ry\n-----END PRIVATE KEY-----\n';
    assert.throws(
      () => make({ tls: { cert, key: text } }),
      (error: Error) =>
        error.message ===
          'The TLS key [redacted] cannot be read (it is the content of a file, not its path).' &&
        !inspect(error).includes('c4n4ry'),
    );
  });

  it('has a base URL that can be opened', async () => {
    const server = await make().listen({ host: '0.0.0.0', port: 0 });
    assert.equal(server.url, `http://127.0.0.1:${server.port}`);
    await server.close();
  });
});
