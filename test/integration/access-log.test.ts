import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { connect } from 'node:net';
import { type App, type Configuration, createApp, HttpResponse } from 'lookback';
import { health } from 'lookback/web';

interface Watched {
  readonly app: App;
  readonly lines: string[];
}

/** An application whose access log is caught on its way to standard output. */
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
    return Reflect.apply(write, process.stdout, [text, ...more]) as boolean; // as it was called
  }) as typeof write; // the same calls
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

  it('leaves health checks that succeed out of the lines for developers', async () => {
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

  it('writes a line of text for each request, without secrets, with the id of its answer', async () => {
    await withLog({ accessLog: 'text' }, async ({ app, lines }) => {
      const response = await app.fetch('/hello/ada?password=hunter2&page=1', local);
      assert.match(
        lines[0] ?? '',
        /^\d{4}-\d\d-\d\dT[\d:.]+Z 127\.0\.0\.1 GET \/hello\/ada\?password=\S+&page=1 200 5 B [\d.]+ ms \[[0-9a-f]{32}\]\n$/,
      );
      assert.ok(lines[0]?.includes(response.headers.get('x-request-id') ?? 'none'));
      await app.fetch('/reset/s3cr3t-s3cr3t', local);
      await app.fetch('/nix', local);
      await (await app.fetch('/stream', local)).text();
      assert.deepEqual(
        lines.map((line) =>
          /GET (\S+) (\d+ \d+ B)/
            .exec(line)
            ?.slice(1)
            .join(' ')
            .replace(/ \d{4,} B/, ''),
        ),
        [
          lines[0]?.split(' ')[3] + ' 200 5 B',
          '/reset/[redacted] 200 5 B',
          lines[2]?.split(' ')[3] + ' 404' + (/404 (\d{1,3} B)/.exec(lines[2] ?? '')?.[0].slice(3) ?? ''),
          '/stream 200 6 B',
        ],
      );
      assert.ok(!lines.join('').includes('hunter2') && !lines.join('').includes('s3cr3t'));
    });
  });

  it('as JSON, each line is one object; nothing that was sent makes a second line', async () => {
    await withLog({ accessLog: 'json' }, async ({ app, lines }) => {
      await Promise.all(['ada', 'ben'].map((name) => app.fetch(`/hello/${name}`, local)));
      const server = await app.listen();
      const socket = connect(server.port, '127.0.0.1');
      socket.write('GET /hello/%0a%1b[31m"x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
      await new Promise((end) => socket.resume().once('close', end));
      const entries = lines.map((line) => JSON.parse(line) as Record<string, unknown>); // what is asserted below
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

  it('for development, it names the record, and the error with its place below', async () => {
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
