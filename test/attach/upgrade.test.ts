import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createSecureServer, request } from 'node:https';
import { createSecureServer as createHttp2Server, connect } from 'node:http2';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { WebSocket, WebSocketServer } from 'ws';
import { attach } from '#profiler/attach';
import { attachmentOf } from '../../src/profiler/attach/attachment/attachment.js';
import { listenOn } from './apps/listen.js';
import { ask, tokenOf, wire } from './wire.js';

const tls = {
  key: readFileSync('test/fixtures/tls/key.pem'),
  cert: readFileSync('test/fixtures/tls/cert.pem'),
};

describe('an attached server', () => {
  it('upgrades to WebSocket as before', async () => {
    const server = createServer((_request, response) => response.end('plain'));
    const sockets = new WebSocketServer({ server });
    sockets.on('connection', (socket) =>
      socket.on('message', (text: Buffer) => socket.send(`heard ${text.toString()}`)),
    );
    const attached = attach(server, { store: 'memory:' });
    const running = await listenOn(server, () => attached.close());
    const client = new WebSocket(`ws://127.0.0.1:${running.port}/`);
    await once(client, 'open');
    client.send('it');
    const [text] = (await once(client, 'message')) as [Buffer]; // the data of a message
    assert.equal(String(text), 'heard it');
    client.close();
    await once(client, 'close');
    sockets.close();
    await running.close();
  });

  it('is restored when it is detached', async () => {
    const server: Server = createServer((_request, response) => response.end('plain'));
    const plain = createServer((_request, response) => response.end('plain'));
    const attached = attach(server, { store: 'memory:' });
    const running = await listenOn(server, () => attached.close());
    tokenOf(await wire(running.port, ask('GET', '/')));
    attached.detach();
    assert.ok(!Object.hasOwn(server, 'emit'));
    const listening = await listenOn(plain);
    await wire(listening.port, ask('GET', '/'));
    assert.deepEqual(
      Object.getOwnPropertyNames(server).toSorted(),
      Object.getOwnPropertyNames(plain).toSorted(),
      'same properties as a server that was never attached',
    );
    const listenersOf = (one: Server): unknown[] =>
      one.eventNames().map((name) => [name, one.listenerCount(name)]);
    assert.deepEqual(new Map(listenersOf(server) as []), new Map(listenersOf(plain) as []));
    await listening.close();
    assert.doesNotMatch(await wire(running.port, ask('GET', '/')), /X-Debug/);
    await running.close();
  });

  it('is recorded over TLS and HTTP/2 as well, each body once', async () => {
    const attachment = { store: 'memory:' } as const;
    const handler = (request: NodeJS.ReadableStream, response: NodeJS.WritableStream): void => {
      let text = '';
      request.on('data', (chunk) => (text += String(chunk)));
      request.on('end', () => response.end(`heard ${text}`));
    };
    for (const server of [
      createSecureServer(tls, handler),
      createHttp2Server(tls, handler as Parameters<typeof createHttp2Server>[1]),
    ] /* the HTTP/2 equivalent */) {
      const attached = attach(server, attachment);
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo; // it listens on a port
      const isStream = !('closeAllConnections' in server);
      const { answer, end } = isStream ? http2Client(port) : httpsClient(port);
      try {
        const { token, text } = await answer('/two', 'body');
        assert.equal(text, 'heard body');
        const { text: record } = await answer(`/_profiler/${token}.json`);
        const { request, response } = JSON.parse(record) as {
          request: { httpVersion: string; scheme: string; body: { content: string } };
          response: { bodyBytes: number; body: { content: string } };
        }; // our own record
        assert.deepEqual(
          [
            request.httpVersion,
            request.scheme,
            request.body.content,
            response.bodyBytes,
            response.body.content,
          ],
          [isStream ? '2.0' : '1.1', 'https', 'body', 10, 'heard body'],
        );
      } finally {
        end();
        server.close();
        await attached.close();
      }
    }
  });

  it('shares one profiler with other servers attached without options', () => {
    assert.equal(attachmentOf(), attachmentOf({}));
    assert.notEqual(attachmentOf({ store: 'memory:' }), attachmentOf());
  });
});

interface Answer {
  readonly token: string;
  readonly text: string;
}
interface Client {
  answer(path: string, body?: string): Promise<Answer>;
  end(): void;
}

async function read(stream: AsyncIterable<unknown>): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  return text;
}

function http2Client(port: number): Client {
  const session = connect(`https://localhost:${port}`, { rejectUnauthorized: false });
  return {
    async answer(path, body) {
      const stream = session.request({ ':path': path, ':method': body === undefined ? 'GET' : 'POST' });
      stream.end(body);
      const [headers] = (await once(stream, 'response')) as [Record<string, unknown>]; // the argument of the event
      return { token: String(headers['x-debug-token']), text: await read(stream) };
    },
    end: () => session.destroy(),
  };
}

function httpsClient(port: number): Client {
  return {
    async answer(path, body) {
      const options = { host: 'localhost', port, path, agent: false, rejectUnauthorized: false } as const;
      const asking = request({ ...options, method: body === undefined ? 'GET' : 'POST' });
      asking.end(body);
      const [response] = (await once(asking, 'response')) as [IncomingMessage]; // the argument of the event
      return { token: String(response.headers['x-debug-token']), text: await read(response) };
    },
    end: () => undefined,
  };
}
