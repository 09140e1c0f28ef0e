import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { type RawData, WebSocket, WebSocketServer } from 'ws';
import { type App, createApp } from 'lookback';
import { attach, attachUpgrade, toNodeHandler } from 'lookback/attach';
import { webSocket } from 'lookback/web';
import { ask, wire } from './wire.js';

const tls = {
  key: readFileSync('test/fixtures/tls/key.pem'),
  cert: readFileSync('test/fixtures/tls/cert.pem'),
};

function createChat(): App {
  const app = createApp({
    configuration: { profilerStore: 'memory:', debug: true },
    logHandlers: [],
  });
  app.get(
    '/chat/{room}',
    webSocket<{ readonly room: string }>(async (socket, { params, request }) => {
      await socket.send(`${params.room} ${request.peer.address ?? 'nobody'}`);
      for await (const message of socket) await socket.send(`heard ${String(message)}`);
    }),
  );
  app.get('/page', () => 'page');
  app.get('/long', () => new Response('long '.repeat(400_000)));
  return app;
}

interface Client {
  readonly socket: WebSocket;
  next(): Promise<string>;
}

async function open(url: string): Promise<Client> {
  const socket = new WebSocket(url, { rejectUnauthorized: false });
  const waiting: string[] = [];
  let wake = (): void => undefined;
  socket.on('message', (data: RawData) => {
    waiting.push((data as Buffer).toString()); // one message is one buffer
    wake();
  });
  await once(socket, 'open');
  return {
    socket,
    async next() {
      while (waiting.length === 0) await new Promise<void>((resolve) => (wake = resolve));
      return waiting.shift() ?? '';
    },
  };
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port; // it listens on a port
}

describe('attachUpgrade', () => {
  for (const [name, create, scheme] of [
    ['http', createServer, 'ws'],
    ['https', (handler: ReturnType<typeof toNodeHandler>) => createSecureServer(tls, handler), 'wss'],
  ] as const)
    it(`serves WebSocket routes beside ws on one ${name} server, two clients at once, with a record each`, async () => {
      const app = createChat();
      const server = create(toNodeHandler(app));
      const others = new WebSocketServer({ server });
      others.on('connection', (socket) => socket.send('not ours'));
      attachUpgrade(server, app);
      const port = await listening(server);
      const [one, two, foreign] = [
        await open(`${scheme}://127.0.0.1:${port}/chat/one`),
        await open(`${scheme}://127.0.0.1:${port}/chat/two`),
        await open(`${scheme}://127.0.0.1:${port}/elsewhere`),
      ];
      assert.deepEqual(
        [await one.next(), await two.next(), await foreign.next()],
        ['one 127.0.0.1', 'two 127.0.0.1', 'not ours'],
      );
      one.socket.send('a');
      two.socket.send('b');
      assert.deepEqual([await one.next(), await two.next()], ['heard a', 'heard b']);
      const closed = [once(one.socket, 'close'), once(two.socket, 'close')];
      await app.close();
      assert.deepEqual(
        (await Promise.all(closed)).map(([code]) => code as unknown),
        [1001, 1001],
      );
      assert.deepEqual(app.profiler?.counters().made, 2);
      foreign.socket.terminate();
      others.close();
      server.closeAllConnections();
      server.close();
    });

  it('leaves what no one offers to the server, which answers as if it had not been asked', async () => {
    const app = createChat();
    const server = createServer(toNodeHandler(app));
    attachUpgrade(server, app);
    const port = await listening(server);
    const asking = (method: string, path: string, more = ''): string =>
      `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n${more}\r\n`;
    assert.match(await wire(port, asking('GET', '/page')), /^HTTP\/1\.1 200 [^]*page/);
    assert.match(await wire(port, asking('GET', '/nowhere')), /^HTTP\/1\.1 404 /);
    assert.ok((await wire(port, asking('GET', '/long'))).includes('long '.repeat(400_000)));
    assert.match(
      await wire(port, `${asking('POST', '/page', 'Content-Length: 1\r\n')}x`),
      /^HTTP\/1\.1 400 /,
    );
    assert.match(await wire(port, ask('GET', '/page')), /^HTTP\/1\.1 200 /);
    // What is no handshake is refused by the route, not by the server.
    assert.match(await wire(port, asking('GET', '/chat/a')), /^HTTP\/1\.1 426 /);
    server.close();
    await app.close();
  });

  it('is taken back whole, also below another attachment', async () => {
    const app = createChat();
    const server = createServer(toNodeHandler(app));
    const detach = attachUpgrade(server, app);
    assert.ok(Object.hasOwn(server, 'emit'));
    detach();
    assert.ok(!Object.hasOwn(server, 'emit'));
    assert.equal(server.listenerCount('upgrade'), 0);
    const detachAgain = attachUpgrade(server, app);
    const attached = attach(server, { store: 'memory:' });
    const port = await listening(server);
    const client = await open(`ws://127.0.0.1:${port}/chat/a`);
    assert.equal(await client.next(), 'a 127.0.0.1');
    client.socket.terminate();
    detachAgain();
    await attached.close();
    server.closeAllConnections();
    server.close();
    await app.close();
  });
});
