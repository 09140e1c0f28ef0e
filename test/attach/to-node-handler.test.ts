import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { networkInterfaces } from 'node:os';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import express from 'express';
import { toNodeHandler } from '#attach';
import { createApp, type App } from '#framework';
import { listen, listenOn } from './apps/listen.js';
import { large, made } from './apps/raw-answers.js';
import { HttpResponse } from '#http';
import { ask, tokenOf, wire } from './wire.js';

function mounted(): App {
  const app = createApp({ configuration: { profilerStore: 'memory:' }, logHandlers: [] });
  app.get('/hello/{name}', ({ params }) => ({ hello: params.name }));
  app.post('/echo', async ({ request }) => HttpResponse.text(await request.text()));
  app.get('/peer', ({ request }) => HttpResponse.text(request.peer.address ?? 'nobody'));
  app.get('/large', () => HttpResponse.stream(large()));
  app.get('/cookies', () => HttpResponse.text('ok').setCookie('a', '1').setCookie('b', '2'));
  return app;
}

describe('toNodeHandler', () => {
  it('answers below node:http and Express, with bodies, cookies and a record', async () => {
    const app = mounted();
    const inExpress = express()
      .use('/api', (_request, response) => void response.send('express'))
      .use(toNodeHandler(app));
    for (const handler of [toNodeHandler(app), inExpress]) {
      const server = await listen(handler);
      try {
        const answer = await wire(server.port, ask('GET', '/hello/ada'));
        assert.match(answer, /^HTTP\/1\.1 200 OK[^]*{"hello":"ada"}/);
        assert.match(
          await wire(server.port, ask('GET', `/_profiler/${tokenOf(answer)}.json`)),
          /"target":"\/hello\/ada"/,
        );
        assert.match(await wire(server.port, ask('POST', '/echo', '{"a":1}')), /{"a":1}\r\n/);
        assert.match(await wire(server.port, ask('GET', '/cookies')), /set-cookie: a=1[^]*set-cookie: b=2/i);
        assert.match(await wire(server.port, ask('HEAD', '/hello/ada')), /^HTTP\/1\.1 200[^]*\r\n\r\n$/);
        assert.match(
          await wire(server.port, 'GET / HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n'),
          /^HTTP\/1\.1 400/,
        );
      } finally {
        await server.close();
      }
    }
    await app.close();
  });

  it('tells who really asks: only this machine finds the profiler', async () => {
    const app = mounted();
    const own = Object.values(networkInterfaces())
      .flat()
      .find((at) => at?.family === 'IPv4' && !at.internal)?.address;
    const server = await listen(toNodeHandler(app));
    try {
      assert.match(await wire(server.port, ask('GET', '/peer')), /127\.0\.0\.1\r\n/);
      assert.match(await wire(server.port, ask('GET', '/_profiler/')), /^HTTP\/1\.1 200/);
    } finally {
      await server.close();
    }
    if (own !== undefined) {
      const outside = createServer(toNodeHandler(app));
      await new Promise<void>((resolve) => outside.listen(0, own, resolve));
      const address = outside.address();
      const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
      const response = await fetch(`http://${own}:${port}/peer`);
      assert.equal(await response.text(), own);
      const socket = connect(port, own, () => socket.write(ask('GET', '/_profiler/')));
      const [chunk] = (await once(socket, 'data')) as [Buffer]; // what a socket gives
      assert.match(String(chunk), /^HTTP\/1\.1 404/);
      socket.destroy();
      outside.closeAllConnections();
      outside.close();
    }
    await app.close();
  });

  it('a slow client makes the application wait, and one that leaves ends its stream', async () => {
    const app = mounted();
    const server = await listenOn(createServer(toNodeHandler(app)));
    const socket = connect(server.port, '127.0.0.1');
    socket.pause();
    socket.write(ask('GET', '/large'));
    await new Promise((resolve) => setTimeout(resolve, 300));
    assert.ok(made.bytes > 0 && made.bytes < 64 * 1024 * 1024, `${made.bytes}`);
    const before = made.bytes;
    socket.destroy();
    await new Promise((resolve) => setTimeout(resolve, 100));
    assert.ok(made.bytes - before <= 4 * 1024 * 1024);
    await server.close();
    await app.close();
  });
});
