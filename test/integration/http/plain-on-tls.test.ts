import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { type App, createApp } from 'lookback';
import { until } from '../../until.js';
import { ask, connectTo, tlsFiles } from './transports.js';

/** Sends packets unchanged and returns everything that comes back. */
async function send(url: string, ...packets: (string | Buffer)[]): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1'))).on('error', () => undefined);
  await once(socket, 'connect');
  for (const packet of packets) {
    socket.write(packet);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await once(socket, 'close');
  return text;
}

for (const debug of [true, false])
  describe(`plain HTTP on the TLS port, ${debug ? 'in debug' : 'outside debug'}`, () => {
    let app: App;
    let url: string;
    before(async () => {
      app = createApp({
        configuration: { env: 'test', debug, profilerStore: 'memory:', tls: tlsFiles },
        logHandlers: [],
      });
      app.get('/fine', () => 'fine');
      app.post('/size', async ({ request }) => (await request.bytes()).byteLength);
      ({ url } = await app.listen({ port: 0 }));
    });
    after(() => app.close());

    it('R7: gets a 400 in plain text, whatever its client accepts, and in debug a record', async () => {
      const head = `GET /fine?x=1 HTTP/1.1\r\nHost: ${new URL(url).host}\r\nAccept: text/html\r\n\r\n`;
      for (const packets of [[head], [head.slice(0, 1), head.slice(1, 20), head.slice(20)]]) {
        const answer = await send(url, ...packets);
        assert.match(answer, /^HTTP\/1\.1 400 Bad Request\r\n/);
        assert.match(answer, /\r\ncontent-type: text\/plain/i);
        assert.match(answer, /\r\nconnection: close\r\n/i);
        assert.doesNotMatch(answer, /<html/);
        if (!debug) {
          assert.doesNotMatch(answer, /x-debug|\.ts/i);
          continue;
        }
        assert.match(answer, /plain HTTP request was sent to an HTTPS port/);
        const token = /x-debug-token: (\w+)/i.exec(answer)?.[1] ?? '';
        await until(async () => (await app.profiler?.find(token))?.kind === 'found');
        const found = await app.profiler?.find(token);
        assert.ok(found?.kind === 'found');
        const { request, response, exception } = found.record;
        assert.deepEqual(
          [request.method, request.path, response?.status, exception?.status],
          ['GET', '/fine', 400, 400],
        );
        assert.deepEqual(
          exception?.errors.map(({ class: name }) => name),
          ['CodedError', 'BadRequestError'],
        );
      }
    });

    it('R8: does not disturb other clients, over HTTP/1.1 and HTTP/2, even if the bytes are meaningless', async () => {
      await send(url, 'POST / HTTP/1.1\r\nContent-Length: 90000\r\n\r\n', 'x'.repeat(80_000));
      await send(url, `GET /${'a'.repeat(5000)}`);
      // OpenSSL answers with nothing or with an alert, depending on when the reset of the client arrives.
      assert.ok(
        ['', '15030'].includes(
          Buffer.from(await send(url, Buffer.alloc(300, 0x80)), 'latin1')
            .toString('hex')
            .slice(0, 5),
        ),
      );
      for (const name of ['TLS', 'HTTP/2'] as const) {
        const transport = connectTo(name, url);
        for (let count = 0; count < 20; count++) {
          const answer = await ask(transport, { path: '/fine' });
          assert.deepEqual([answer.status, answer.body.slice(0, 4)], [200, 'fine']);
        }
        const large = await ask(transport, { path: '/size', method: 'POST', body: 'x'.repeat(500_000) });
        assert.equal(large.body, '500000');
        await transport.close();
      }
    });
  });

describe('a silent connection to the TLS port', () => {
  it('is closed with the server', async () => {
    const app = createApp({
      configuration: { env: 'test', profilerStore: 'off', tls: tlsFiles },
      logHandlers: [],
    });
    const { url } = await app.listen({ port: 0 });
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    const closed = once(socket, 'close');
    socket.on('error', () => undefined).resume();
    await app.close();
    await closed;
  });
});
