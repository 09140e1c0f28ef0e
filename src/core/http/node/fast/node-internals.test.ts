import assert from 'node:assert/strict';
import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createServer, type IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { describe, it } from 'node:test';
import { ServerMessage } from './lazy-incoming-message.js';
import { OneWriteResponse } from './node-internals.js';

const head = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-Latin: \u00e9\r\n\r\n';

/** Returns the response to a raw request, in chunks as received, from a server with the given listener. */
async function ask(answer: (message: IncomingMessage, reply: OneWriteResponse) => void): Promise<Buffer[]> {
  const server = createServer({ IncomingMessage: ServerMessage, ServerResponse: OneWriteResponse }, answer);
  try {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo; // it listens on a port
    const socket = connect(port, '127.0.0.1', () => socket.end('GET / HTTP/1.1\r\nHost: h\r\n\r\n'));
    const chunks: Buffer[] = [];
    for await (const chunk of socket) chunks.push(chunk as Buffer); // no encoding is set
    return chunks;
  } finally {
    server.close();
  }
}

describe('a one-write response', () => {
  it('sends head and body in one write, and notifies observers as Node would have', async () => {
    const told: string[] = [];
    const onFinish = (): void => void told.push('channel');
    subscribe('http.server.response.finish', onFinish);
    const chunks = await ask((_message, reply) => {
      for (const event of ['prefinish', 'finish', 'close']) reply.on(event, () => told.push(event));
      assert.equal(reply.sendWhole(200, 'OK', { head, body: 'ok', bytes: 2 }), true);
      assert.deepEqual(
        [reply.headersSent, reply.writableEnded, reply.statusCode, reply.statusMessage],
        [true, true, 200, 'OK'],
      );
      assert.throws(() => reply.setHeader('x', 'y'), { code: 'ERR_HTTP_HEADERS_SENT' });
      assert.equal(reply.sendWhole(200, 'OK', { head, body: 'ok', bytes: 2 }), false, 'once only');
    });
    unsubscribe('http.server.response.finish', onFinish);
    assert.equal(channel('http.server.response.finish').hasSubscribers, false);
    assert.deepEqual(told, ['prefinish', 'channel', 'finish', 'close']);
    assert.equal(chunks.length, 1);
    assert.equal(Buffer.concat(chunks).toString('latin1'), `${head}ok`);
  });

  it('leaves responses to Node that others have touched, or that one encoding cannot carry', async () => {
    const refusals: [
      name: string,
      prepare: (reply: OneWriteResponse) => void,
      body: string,
      bytes: number,
    ][] = [
      ['a header set', (reply) => void reply.setHeader('X-Other', '1'), 'ok', 2],
      ['a head written', (reply) => void reply.writeHead(200), 'ok', 2],
      [
        'an own end',
        (reply) => void Object.assign(reply, { end: ServerResponse.prototype.end.bind(reply) }),
        'ok',
        2,
      ],
      ['a lost connection', (reply) => void reply.socket?.destroy(), 'ok', 2],
      ['obs-text before UTF-8', () => undefined, '\u20ac', 3],
    ];
    for (const [name, prepare, body, bytes] of refusals) {
      let wasSent: boolean | undefined;
      await ask((_message, reply) => {
        prepare(reply);
        wasSent = reply.sendWhole(200, 'OK', { head, body, bytes });
        reply.end();
      }).catch(() => undefined); // the connection was cut
      assert.equal(wasSent, false, name);
    }
  });

  it('leaves everything to Node if its methods were replaced earlier', async () => {
    for (const name of ['writeHead', 'end']) {
      const original: unknown = Reflect.get(ServerResponse.prototype, name);
      Reflect.set(
        ServerResponse.prototype,
        name,
        function wrapped(this: unknown, ...given: unknown[]): unknown {
          return Reflect.apply(original as () => unknown, this, given); // a method with any parameters
        },
      );
      try {
        const fresh: unknown = await import(`./node-internals.js?after-${name}`);
        assert.equal((fresh as { canTakeHead: boolean }).canTakeHead, false, name); // the same module, loaded again
      } finally {
        Reflect.set(ServerResponse.prototype, name, original);
      }
    }
  });

  it("counts a body's length in bytes, not characters", async () => {
    const body = 'h\u00e9 \u20ac \u{1f600}';
    const bytes = Buffer.byteLength(body);
    const plain = `HTTP/1.1 200 OK\r\nContent-Length: ${bytes}\r\n\r\n`;
    const chunks = await ask((_message, reply) => {
      assert.equal(reply.sendWhole(200, 'OK', { head: plain, body, bytes }), true);
    });
    assert.equal(Buffer.concat(chunks).toString('utf8'), plain + body);
  });
});
