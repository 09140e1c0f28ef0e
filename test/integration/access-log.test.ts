import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { type App, type Configuration, createApp, HttpResponse, type LogRecord } from 'lookback';
import { createTestClient } from 'lookback/testing';
import { health } from 'lookback/web';
import { until } from '../until.js';

interface Watched {
  readonly app: App;
  readonly lines: string[];
}

/** An application whose access log is captured on its way to standard output. */
async function withLog(
  configuration: Partial<Configuration>,
  work: (watched: Watched) => Promise<void>,
): Promise<void> {
  const app = createApp({
    configuration: { env: 'test', debug: true, profilerStore: 'memory:', port: 0, ...configuration },
    logHandlers: [],
  });
  app.get('/hello/{name}', () => 'hello', { name: 'hello' });
  app.get('/reset/{token}', () => 'reset');
  app.get('/{long}/reset/{token}', () => 'reset');
  app.get('/fails', () => {
    throw new RangeError('Too far.\u202e\u001b\nSecond line.');
  });
  app.get('/stream', () =>
    HttpResponse.stream(
      (async function* () {
        yield Buffer.from('one');
        yield Buffer.from('two');
      })(),
    ),
  );
  const lines: string[] = [];
  const write = process.stdout.write;
  process.stdout.write = ((text: string, ...more: never[]) => {
    if (typeof text === 'string' && /GET|POST|PRI/.test(text) && !text.startsWith('#'))
      return lines.push(text) > 0;
    return Reflect.apply(write, process.stdout, [text, ...more]) as boolean; // called with the original arguments
  }) as typeof write; // accepts the same calls
  try {
    await work({ app, lines });
  } finally {
    process.stdout.write = write;
    await app.close();
  }
}

const local = { peer: { address: '127.0.0.1' } };

describe('the access log', () => {
  it('is off unless it is requested', async () => {
    await withLog({}, async ({ app, lines }) => {
      await app.fetch('/hello/ada');
      assert.deepEqual(lines, []);
    });
  });

  it('leaves successful health checks out of the lines for developers', async () => {
    await withLog({ accessLog: 'dev' }, async ({ app, lines }) => {
      let isWell = true;
      app.use(health({ checks: { disk: () => isWell }, freshFor: 0 }));
      await app.fetch('/healthz');
      await app.fetch('/readyz');
      await app.fetch('/hello/ada');
      isWell = false;
      await app.fetch('/readyz');
      assert.deepEqual(
        lines.map((line) => /GET +(\S+) +(\d+)/.exec(line)?.slice(1)),
        [
          ['/hello/ada', '200'],
          ['/readyz', '503'],
        ],
      );
    });
  });

  it('has no secrets, and the id and size of each response', async () => {
    await withLog({ accessLog: 'json' }, async ({ app, lines }) => {
      const response = await app.fetch('/hello/ada?password=hunter2&page=1', local);
      const reset = await app.fetch('/reset/s3cr3t-s3cr3t', local);
      const stream = await app.fetch('/stream', local);
      await stream.text();
      const entries = lines.map((line) => JSON.parse(line) as Record<string, unknown>); // checked below
      assert.deepEqual(
        entries.map(({ target, bytes, client }) => [target, bytes, client]),
        [
          ['/hello/ada?password=[redacted]&page=1', 5, '127.0.0.1'],
          ['/reset/[redacted]', 5, '127.0.0.1'],
          ['/stream', 6, '127.0.0.1'],
        ],
      );
      assert.deepEqual(
        entries.map(({ id }) => id),
        [response, reset, stream].map(({ headers }) => headers.get('x-request-id')),
      );
      assert.ok(entries.every(({ id }) => typeof id === 'string'));
    });
  });

  it("as log, goes through the log handlers, with the request's id, and is in no record", async () => {
    const taken: LogRecord[] = [];
    const app = createApp({
      configuration: { env: 'test', debug: true, profilerStore: 'memory:', accessLog: 'log' },
      logHandlers: [{ handle: (record) => void taken.push(record) }],
    });
    app.get('/hello', ({ log }) => {
      log.info('Greeted.');
      return 'hello';
    });
    const client = createTestClient(app);
    const response = await client.get('/hello?password=hunter2');
    const id = response.headers.get('x-request-id');
    assert.deepEqual(
      taken
        .filter(({ level }) => level === 'info')
        .map(({ channel, level, message, requestId }) => [channel, level, message, requestId]),
      [
        ['app', 'info', 'Greeted.', id],
        ['access', 'info', 'GET /hello?password=[redacted] 200', id],
      ],
    );
    const { status, bytes, target, completed } = Object(taken.at(-1)?.context) as Record<string, unknown>; // as checked below
    assert.deepEqual([status, bytes, target, completed], [200, 5, '/hello?password=[redacted]', true]);
    assert.doesNotMatch(JSON.stringify((await response.record()) ?? null), /"access"/);
    await app.close();
  });

  it('cuts a long target after its secrets are redacted, so that none is written in part', async () => {
    await withLog({ accessLog: 'json' }, async ({ app, lines }) => {
      for (let length = 2020; length < 2050; length += 3)
        await app.fetch(`/${'x'.repeat(length)}/reset/s3cr3ts3cr3t?password=hunter2hunter2`, local);
      assert.equal(lines.length, 10);
      assert.doesNotMatch(lines.join(''), /s3c|hun/);
      assert.match(lines[0] ?? '', /…"/);
    });
  });

  it('as JSON, has one object per line, which no request can split', async () => {
    await withLog({ accessLog: 'json' }, async ({ app, lines }) => {
      await Promise.all(['ada', 'ben'].map((name) => app.fetch(`/hello/${name}`, local)));
      const server = await app.listen();
      const socket = connect(server.port, '127.0.0.1');
      socket.write('GET /hello/%0a%1b[31m"x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
      await new Promise((end) => socket.resume().once('close', end));
      const entries = lines.map((line) => JSON.parse(line) as Record<string, unknown>); // checked below
      assert.deepEqual(
        entries.slice(0, 2).map(({ method, target, route, status, bytes, completed }) => ({
          method,
          target,
          route,
          status,
          bytes,
          completed,
        })),
        ['ada', 'ben'].map((name) => ({
          method: 'GET',
          target: `/hello/${name}`,
          route: 'hello',
          status: 200,
          bytes: 5,
          completed: true,
        })),
      );
      assert.equal(new Set(entries.map(({ id }) => id)).size, entries.length);
      assert.equal(entries.length, 3);
      for (const line of lines) assert.match(line, /^[^\n]+\n$/);
    });
  });

  it('for development, suggests a similar route, and says what made a request slow', async () => {
    await withLog({ accessLog: 'dev' }, async ({ app, lines }) => {
      app.get('/slow', async function takeTime() {
        await pause(600); // the line explains this time
        return 'slow';
      });
      await app.fetch('/helo/ada', local);
      assert.match(lines[0] ?? '', /^GET +\/helo\/ada +404 .*\n {9}did you mean \/hello\/\{name\}\?\n$/);
      await (await app.fetch('/slow', local)).text();
      await until(() => lines.length > 1);
      assert.match(
        lines[1] ?? '',
        /^GET +\/slow +200 .*\n {9}“takeTime” waited \d+ ms of \d+ ms for something .*access-log\.test\.\w+:\d+\n$/,
      );
    });
  });

  it('for development, names the record, and below it the error with its location', async () => {
    await withLog({ accessLog: 'dev' }, async ({ app, lines }) => {
      const response = await app.fetch('/fails', local);
      const token = response.headers.get('x-debug-token');
      assert.match(
        lines[0] ?? '',
        new RegExp(`^GET +/fails +500 +[\\d.]+ ms +http://localhost/_profiler/${token}\n`),
      );
      assert.match(
        lines[0] ?? '',
        /\n {9}RangeError: Too far\.⟨U\+202E⟩⟨U\+001B⟩\n {9}at \S*access-log\.test\.\S+:\d+\n$/,
      );
      await app.fetch(`/_profiler/${token}`, local);
      assert.equal(lines.length, 1, "the profiler's pages are left out");
    });
  });
});
