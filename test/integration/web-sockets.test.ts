import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request as httpRequest } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { after, before, describe, it } from 'node:test';
import type { RawData } from 'ws';
import { WebSocket } from 'ws';
import type { App, RunningServer } from 'lookback';
import { createApp, currentScope, isCodedError } from 'lookback';
import { accessToken, createMemoryUserProvider, createSecurity, listedTokens } from 'lookback/security';
import { webSocket, type WebSocketConnection } from 'lookback/web';
import { until } from '../until.js';

const errors: string[] = [];
const ended: string[] = [];
const flood: unknown[] = [];
const handled: string[] = [];

function createChat(tls = false): App {
  const security = createSecurity({
    secret: 'a secret of at least thirty-two characters',
    sessions: false,
    provider: createMemoryUserProvider([{ identifier: 'ada', roles: ['ROLE_USER'] }]),
    firewalls: [{ name: 'main', authenticators: [accessToken({ handler: listedTokens({ t: 'ada' }) })] }],
    accessControl: [{ path: '/private', allow: 'ROLE_USER' }],
  });
  const app = createApp({
    configuration: {
      debug: true,
      profilerStore: 'memory:',
      port: 0,
      host: '127.0.0.1',
      ...(tls
        ? { tls: { cert: resolve('test/fixtures/tls/cert.pem'), key: resolve('test/fixtures/tls/key.pem') } }
        : {}),
    },
    security,
    logHandlers: [{ minLevel: 'error', handle: ({ message }) => errors.push(message) }],
  });
  app.get(
    '/echo/{room}',
    webSocket<{ readonly room: string }>(
      async (socket, { params, request }) => {
        await socket.send({ room: params.room, isOwnScope: currentScope() === request.scope });
        for await (const message of socket) await socket.send(message);
        ended.push(params.room);
      },
      { maxMessageBytes: 1000, protocols: ['v2', 'v1'], origins: ['https://friend.example'] },
    ),
  );
  app.get(
    '/private',
    webSocket(async (socket, { user }) => {
      await socket.send(user?.identifier ?? 'nobody');
      assert.equal(currentScope()?.parent, undefined);
    }),
  );
  app.get(
    '/throws',
    webSocket(async () => {
      throw new Error('The handler broke.');
    }),
  );
  app.get(
    '/one',
    webSocket(async (socket) => void (await once(socket.signal, 'abort')), { maxConnections: 1 }),
  );
  app.get(
    '/slow',
    webSocket(
      async (socket) => {
        await new Promise((next) => setTimeout(next, 200)); // most of the 500 arrive meanwhile
        let count = 0;
        for await (const _message of socket) if (++count === 500) await socket.send(`all ${count}`);
      },
      { maxQueued: 5 },
    ),
  );
  const sendMuch = async (socket: WebSocketConnection): Promise<void> => {
    const chunk = 'x'.repeat(100_000);
    const sends = Array.from({ length: 1000 }, () =>
      socket.send(chunk).catch((error: unknown) => void flood.push(error)),
    );
    await Promise.all(sends);
  };
  app.get('/flood', webSocket(sendMuch, { maxBufferedBytes: 200_000 }));
  app.get('/flood-by-default', webSocket(sendMuch));
  app.get(
    '/silent',
    webSocket(async (socket) => void (await once(socket.signal, 'abort')), { idleSeconds: 0.1 }),
  );
  app.get(
    '/slow-echo/{room}',
    webSocket<{ readonly room: string }>(async (socket, { params }) => {
      for await (const message of socket) {
        handled.push(`${params.room} ${String(message)}`);
        await new Promise((resolve) => setTimeout(resolve, 5)); // the close arrives meanwhile
        await socket.send('first half');
        await Promise.all([socket.send('second'), socket.send('half')]);
      }
      ended.push(params.room);
    }),
  );
  app.get(
    '/pushes/{room}',
    webSocket<{ readonly room: string }>(async (socket, { params }) => {
      try {
        for (;;) {
          await socket.send('tick');
          await new Promise((resolve) => setTimeout(resolve, 5)); // like a live feed
        }
      } finally {
        ended.push(params.room);
      }
    }),
  );
  app.get(
    '/waits/{room}',
    webSocket<{ readonly room: string }>(async (socket, { params }) => {
      try {
        await sleep(60_000, undefined, { signal: socket.signal });
      } finally {
        ended.push(params.room);
      }
    }),
  );
  app.get(
    '/fails-afterwards',
    webSocket(async (socket) => {
      for await (const _message of socket);
      throw new Error('The database is gone.');
    }),
  );
  app.get('/page', () => 'a page');
  return app;
}

/** The next message as text. */
async function next(socket: WebSocket): Promise<string> {
  const [data] = (await once(socket, 'message')) as [RawData];
  return (data as Buffer).toString('utf8'); // the type that the package uses by default
}

async function refusal(
  url: string,
  options: object = {},
): Promise<{ status: number; type: string; text: string }> {
  const socket = new WebSocket(url, options);
  socket.on('error', () => undefined);
  const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return { status: response.statusCode ?? 0, type: response.headers['content-type'] ?? '', text };
}

describe('WebSockets', () => {
  const app = createChat();
  let server: RunningServer;
  let url = '';
  before(async () => {
    server = await app.listen();
    url = server.url.replace('http', 'ws');
  });
  after(() => app.close());

  it("are routed, echo text and bytes, for two at once, each in its request's scope", async () => {
    const sockets = ['a', 'b'].map((room) => new WebSocket(`${url}/echo/${room}`, ['v1', 'v2']));
    const first = await Promise.all(sockets.map(next));
    assert.deepEqual(first, ['{"room":"a","isOwnScope":true}', '{"room":"b","isOwnScope":true}']);
    for (const [index, socket] of sockets.entries()) {
      assert.equal(socket.protocol, 'v2');
      const answer = next(socket);
      socket.send(`é${index}`);
      assert.equal(await answer, `é${index}`);
      const bytes = once(socket, 'message');
      socket.send(Buffer.from([0, 255]));
      assert.deepEqual((await bytes)[0], Buffer.from([0, 255]));
      socket.close();
      await once(socket, 'close');
    }
    await until(() => ended.includes('a') && ended.includes('b'));
  });

  it('pass the firewall and access rules: they are refused over HTTP, or have their user', async () => {
    const stranger = await refusal(`${url}/private`, { headers: { Accept: 'application/json' } });
    assert.deepEqual([stranger.status, stranger.type], [401, 'application/problem+json']);
    const socket = new WebSocket(`${url}/private`, { headers: { Authorization: 'Bearer t' } });
    assert.equal(await next(socket), 'ada');
    assert.deepEqual((await once(socket, 'close'))[0], 1000);
  });

  it('are refused with the status for the reason', async () => {
    assert.equal((await refusal(`${url}/nothing`)).status, 404);
    assert.equal((await refusal(`${url}/echo/a`, { origin: 'https://evil.example' })).status, 403);
    assert.equal((await refusal(`${url}/page`)).status, 200);
    for (const origin of ['https://friend.example', server.url]) {
      const socket = new WebSocket(`${url}/echo/a`, { origin });
      await next(socket);
      socket.close();
      await once(socket, 'close');
    }
    const plain = await fetch(`${server.url}/echo/a`);
    assert.deepEqual([plain.status, plain.headers.get('sec-websocket-version')], [426, '13']);
    assert.equal((await app.fetch('/echo/a', { headers: { Upgrade: 'websocket' } })).status, 426);
    const wants = ['upgrade', 'connection'].map((name) => plain.headers.get(name));
    assert.deepEqual(wants, ['websocket', 'keep-alive, Upgrade']);
    const badKey = await new Promise<number>((done) => {
      const headers = {
        Connection: 'Upgrade',
        Upgrade: 'websocket',
        'Sec-WebSocket-Version': '13',
        'Sec-WebSocket-Key': 'x',
      };
      httpRequest(`${server.url}/echo/a`, { headers }, ({ statusCode }) => done(statusCode ?? 0)).end();
    });
    assert.equal(badKey, 400);
    const h2c = await new Promise<number>((done) => {
      httpRequest(
        `${server.url}/page`,
        { headers: { Connection: 'Upgrade', Upgrade: 'h2c' } },
        ({ statusCode }) => done(statusCode ?? 0),
      ).end();
    });
    assert.equal(h2c, 200);
  });

  it('enforce their limits: message size, connections, and silence; a small queue loses no message', async () => {
    const big = new WebSocket(`${url}/echo/big`);
    await next(big);
    big.send('x'.repeat(1001));
    assert.equal((await once(big, 'close'))[0], 1009);
    const one = new WebSocket(`${url}/one`);
    await once(one, 'open');
    assert.equal((await refusal(`${url}/one`)).status, 503);
    one.close();
    await once(one, 'close');
    const slow = new WebSocket(`${url}/slow`);
    await once(slow, 'open');
    const answer = next(slow);
    for (let index = 0; index < 500; index++) slow.send('x'.repeat(500));
    assert.equal(await answer, 'all 500');
    slow.close();
    const silent = new WebSocket(`${url}/silent`, { autoPong: false });
    assert.equal((await once(silent, 'close'))[0], 1006);
  });

  it('a client that reads nothing is closed when more than the limit, by default 1 MiB, is buffered for it', async () => {
    for (const [path, limit] of [
      ['flood', 200_000],
      ['flood-by-default', 1_048_576],
    ] as const) {
      flood.length = 0;
      const socket = new WebSocket(`${url}/${path}`);
      await once(socket, 'open');
      socket.pause();
      await until(() => flood.length > 0);
      assert.ok(flood.every((error) => isCodedError(error) && error.code.startsWith('WEB_SOCKET_')));
      const slow = flood.find((error) => isCodedError(error) && error.code === 'WEB_SOCKET_SLOW');
      assert.match((slow as Error | undefined)?.message ?? '', new RegExp(`more than ${limit} bytes`)); // see above
      socket.resume();
      assert.equal((await once(socket, 'close'))[0], 1013);
    }
  });

  it('a handler that throws closes with 1011 and is logged, and its record has the exception with its location', async () => {
    errors.length = 0;
    const socket = new WebSocket(`${url}/throws`);
    const closed = once(socket, 'close');
    const [answered] = (await once(socket, 'upgrade')) as [IncomingMessage];
    assert.equal((await closed)[0], 1011);
    assert.match(errors.join(), /The handler broke/);
    const page = `${server.url}/_profiler/${String(answered.headers['x-debug-token'])}.md`;
    const record = await until(async () => {
      const text = await (await fetch(page)).text();
      return text.includes('error: ') ? text : undefined;
    });
    assert.match(record, /error: The handler broke, from .*web-sockets\.test\.[jt]s:\d+/);
  });

  it('leave a record when they are closed', async () => {
    const socket = new WebSocket(`${url}/echo/recorded`);
    const greeting = next(socket);
    const [answered] = (await once(socket, 'upgrade')) as [IncomingMessage];
    const token = String(answered.headers['x-debug-token']);
    await greeting;
    socket.close(4001, 'done');
    await once(socket, 'close');
    await until(() => ended.includes('recorded'));
    const page = await fetch(`${server.url}/_profiler/${token}.json`);
    assert.equal(page.status, 200);
    assert.match(await page.text(), /"status": ?101/);
  });

  for (const [how, leave] of [
    ['closes', (socket: WebSocket) => socket.close(1000)],
    ['goes away', (socket: WebSocket) => socket.terminate()],
  ] as const)
    it(`handle the messages of a client that ${how} right after them, and record no error`, async () => {
      errors.length = handled.length = 0;
      const rooms = Array.from({ length: 10 }, (_, at) => `${how} ${at}`);
      const tokens = await Promise.all(
        rooms.map(async (room) => {
          const socket = new WebSocket(`${url}/slow-echo/${encodeURIComponent(room)}`);
          socket.on('error', () => undefined);
          const [answered] = (await once(socket, 'upgrade')) as [IncomingMessage];
          if (socket.readyState !== socket.OPEN) await once(socket, 'open');
          const sent = ['1', '2', '3', '4', '5'].map(
            (text) => new Promise((written) => socket.send(text, written)),
          );
          await Promise.all(sent);
          leave(socket);
          return String(answered.headers['x-debug-token']);
        }),
      );
      await until(() => rooms.every((room) => ended.includes(room)), 'the handlers are over');
      // If a client goes away, the operating system may drop unread data.
      if (how === 'closes')
        assert.deepEqual(
          [...handled].sort(),
          rooms.flatMap((room) => ['1', '2', '3', '4', '5'].map((text) => `${room} ${text}`)).sort(),
        );
      assert.deepEqual(errors, []);
      for (const token of tokens) {
        const record = await until(async () => {
          const answer = await fetch(`${server.url}/_profiler/${token}.md`);
          return answer.status === 200 && answer.text();
        });
        assert.doesNotMatch(record, /The WebSocket is closed/);
      }
    });

  it('end handlers that only send or wait when the client closes, and log no error', async () => {
    errors.length = 0;
    for (const path of ['pushes', 'waits']) {
      const socket = new WebSocket(`${url}/${path}/${path}-gone`);
      await once(socket, 'open');
      socket.send('hello');
      socket.close();
      await until(() => ended.includes(`${path}-gone`), `the handler of ${path} is over`);
    }
    assert.deepEqual(errors, []);
  });

  it('log an error that a handler throws after the close, unless the close causes it', async () => {
    errors.length = 0;
    const socket = new WebSocket(`${url}/fails-afterwards`);
    await once(socket, 'open');
    socket.close();
    await until(() => errors.length > 0, 'the error is logged');
    assert.match(errors.join(), /The database is gone/);
  });

  it('close with 1001 when the server stops', async () => {
    const stopping = createChat();
    const { url: address } = await stopping.listen();
    const socket = new WebSocket(`${address.replace('http', 'ws')}/echo/stop`);
    await next(socket);
    const closed = once(socket, 'close');
    await stopping.close();
    assert.equal((await closed)[0], 1001);
  });
});

describe('WebSockets over TLS', () => {
  it('work over HTTP/1.1, and are refused over HTTP/2', async () => {
    const app = createChat(true);
    const { url } = await app.listen();
    const socket = new WebSocket(`${url.replace('http', 'ws')}/echo/tls`, { rejectUnauthorized: false });
    assert.equal(await next(socket), '{"room":"tls","isOwnScope":true}');
    socket.close();
    await once(socket, 'close');
    const session = connectHttp2(url, { rejectUnauthorized: false });
    const stream = session.request({ ':path': '/echo/tls' });
    const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
    assert.equal(headers[':status'], 426);
    assert.equal(headers['upgrade'], undefined, 'HTTP/2 has no such field (RFC 9113 8.2.2)');
    stream.resume();
    session.close();
    await app.close();
  });
});
