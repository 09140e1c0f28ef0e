import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import express from 'express';
import { type App, createApp, HttpResponse } from 'lookback';
import { toNodeHandler } from 'lookback/attach';
import { listen, listenOn } from './apps/listen.js';
import { large, made } from './apps/raw-answers.js';
import { ask, tokenOf, wire } from './wire.js';
import { until, untilStill } from '../until.js';

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

  it('identifies the real client: only this machine can open the profiler', async () => {
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
    if (own === undefined) {
      await app.close();
      return;
    }
    const outside = createServer(toNodeHandler(app));
    try {
      await new Promise<void>((resolve) => outside.listen(0, own, resolve));
      const { port } = outside.address() as AddressInfo; // it listens on a port
      const from = async (path: string): Promise<string> => {
        // An accepted Host, as an attacker would send.
        const asking = get({ host: own, port, path, agent: false, headers: { host: 'localhost' } });
        const [response] = (await once(asking, 'response')) as [IncomingMessage]; // the argument of the event
        let text = '';
        for await (const chunk of response) text += String(chunk);
        return `${response.statusCode} ${text}`;
      };
      assert.equal(await from('/peer'), `200 ${own}`);
      assert.match(await from('/_profiler/'), /^404 /);
    } finally {
      outside.closeAllConnections();
      outside.close();
      await app.close();
    }
  });

  it('answers on a Unix socket, whose peer has no address', async () => {
    const app = mounted();
    const socketPath = join(mkdtempSync(join(tmpdir(), 'lookback-')), 'socket');
    const server = createServer(toNodeHandler(app)).listen(socketPath);
    await once(server, 'listening');
    try {
      const request = get({ socketPath, path: '/peer', agent: false });
      const [answer] = (await once(request, 'response')) as [IncomingMessage]; // the event's only argument
      assert.equal(await text(answer), 'nobody');
    } finally {
      server.close();
      await app.close();
    }
  });

  it('lets a slow client slow down the application, and ends the stream when a client disconnects', async () => {
    const app = mounted();
    const server = await listenOn(createServer(toNodeHandler(app)));
    const socket = connect(server.port, '127.0.0.1');
    socket.pause();
    socket.write(ask('GET', '/large'));
    await until(() => made.bytes > 0);
    await untilStill(() => made.bytes);
    assert.ok(made.bytes > 0 && made.bytes < 64 * 1024 * 1024, `${made.bytes}`);
    const before = made.bytes;
    socket.destroy();
    await untilStill(() => made.bytes);
    assert.ok(made.bytes - before <= 4 * 1024 * 1024);
    await server.close();
    await app.close();
  });
});
