import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get as getHttp, type IncomingMessage } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { WebSocket } from 'ws';
import { createApp, type HttpRequest, type RunningServer } from 'lookback';
import { eventStream, webSocket } from 'lookback/web';
import { until, untilStill } from '../until.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void; // the flag has just defined it

describe('live connections', () => {
  const requests: WeakRef<HttpRequest>[] = [];
  const warnings: Error[] = [];
  const note = (warning: Error): void => void warnings.push(warning);
  const app = createApp({
    configuration: { debug: false, profilerStore: 'off', port: 0, host: '127.0.0.1' },
    logHandlers: [{ handle: () => undefined }],
  });
  let server: RunningServer;
  let opened = 0;

  app.get('/events', ({ request }) => {
    requests.push(new WeakRef(request));
    return eventStream(request, async function* ({ signal }) {
      yield 'first';
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    });
  });
  const push = webSocket(
    async (socket, { request }) => {
      requests.push(new WeakRef(request));
      opened += 1;
      await once(socket.signal, 'abort');
    },
    { maxConnections: 100 },
  );
  app.get('/push', push);
  app.get(
    '/one',
    webSocket(async (socket) => void (await once(socket.signal, 'abort')), {
      maxConnections: 1,
      idleSeconds: 0.1,
    }),
  );

  async function openSockets(count: number): Promise<WebSocket[]> {
    const before = opened;
    const url = `${server.url.replace('http', 'ws')}/push`;
    const sockets = Array.from({ length: count }, () => new WebSocket(url).on('error', () => undefined));
    await Promise.all(sockets.map((socket) => once(socket, 'open')));
    await until(() => opened === before + count);
    return sockets;
  }

  before(async () => {
    process.on('warning', note);
    server = await app.listen();
  });
  after(async () => {
    process.off('warning', note);
    await app.close();
  });

  it('event streams that were open during garbage collection are released when they have closed', async () => {
    requests.length = 0;
    const messages = await Promise.all(Array.from({ length: 50 }, () => openEvents(`${server.url}/events`)));
    assert.equal(requests.length, 50);
    for (let round = 0; round < 4; round++) collect();
    for (const message of messages) message.destroy();
    messages.length = 0;
    await allReleased(requests);
  });

  it('WebSockets that were open during garbage collection are released when they have closed', async () => {
    requests.length = 0;
    const sockets = await openSockets(50);
    assert.equal(requests.length, 50);
    for (let round = 0; round < 4; round++) collect();
    for (const socket of sockets) socket.terminate();
    sockets.length = 0;
    await allReleased(requests);
  });

  it('cause no warning about listeners, whatever their number', () => {
    assert.deepEqual(warnings, []);
  });

  it('a WebSocket whose handler reads nothing buffers little of what its client sends', async () => {
    const clientCount = 20;
    const message = Buffer.alloc(60_000, 'x');
    const sockets = await openSockets(clientCount);
    collect();
    const heap = process.memoryUsage().heapUsed;
    for (const socket of sockets)
      for (let count = 0; count < 100; count++) socket.send(message, { binary: false });
    await untilStill(() => sockets.map((socket) => socket.bufferedAmount).join());
    collect();
    const each = (process.memoryUsage().heapUsed - heap) / clientCount;
    assert.ok(each < 1_000_000, `${each.toFixed(0)} bytes of each client are kept`);
    for (const socket of sockets) socket.terminate();
  });

  it('a WebSocket client that fills the queue of a handler that reads nothing is disconnected', async () => {
    const url = `${server.url.replace('http', 'ws')}/one`;
    const greedy = new WebSocket(url);
    await once(greedy, 'open');
    for (let count = 0; count < 150; count++) greedy.send('0123456789');
    greedy.pause(); // it neither reads nor answers pings
    const next = await until(() => tryOpen(url));
    next.terminate();
    greedy.terminate();
  });
});

function openEvents(url: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    getHttp(url, { agent: false }, (message) => {
      message.on('error', () => undefined);
      message.once('data', () => resolve(message));
    }).on('error', reject);
  });
}

async function tryOpen(url: string): Promise<WebSocket | undefined> {
  const socket = new WebSocket(url).on('error', () => undefined);
  return new Promise((resolve) => {
    socket.once('open', () => resolve(socket));
    socket.once('close', () => resolve(undefined));
  });
}

async function allReleased(requests: readonly WeakRef<HttpRequest>[]): Promise<void> {
  await until(
    () => {
      collect();
      return requests.filter((request) => request.deref() !== undefined).length <= 1; // one may be on the stack
    },
    () => `${requests.filter((request) => request.deref() !== undefined).length} of 50 are still reachable`,
  );
}
