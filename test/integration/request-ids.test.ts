import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createApp } from '#framework/app';
import type { App } from '#framework/app';
import type { LogRecord } from '#core/log';
import { createStreamLogHandler } from '#core/log';

interface Shop {
  readonly app: App;
  readonly url: string;
  readonly records: LogRecord[];
  readonly lines: string[];
}

async function openShop(trustedProxies: readonly string[]): Promise<Shop> {
  const records: LogRecord[] = [];
  const lines: string[] = [];
  const app = createApp({
    configuration: { debug: false, profilerStore: 'off', port: 0, trustedProxies },
    logHandlers: [
      { handle: (record) => void records.push(record) },
      createStreamLogHandler({ write: (line) => lines.push(line) }),
    ],
  });
  app.get('/log', async ({ log }) => {
    log.info('first');
    await new Promise(setImmediate);
    log.info('second');
    return 'logged';
  });
  app.get('/quiet', () => 'quiet');
  app.get('/bug/{name}', () => {
    throw new TypeError('boom');
  });
  const { url } = await app.listen();
  return { app, url, records, lines };
}

const idsOf = (
  records: readonly LogRecord[],
  ...messages: readonly string[]
): readonly (string | undefined)[] =>
  records.filter(({ message }) => messages.includes(message)).map(({ requestId }) => requestId);

const trace = '0af7651916cd43dd8448eb211c80319c';
const sent = { 'X-Request-Id': 'edge-1:2/3', traceparent: `00-${trace}-b7ad6b7169203331-01` };

describe('request ids', () => {
  it('are created for each request, and are in its response and on each of its log lines', async () => {
    const { app, url, records, lines } = await openShop([]);
    for (const ask of [
      (path: string) => app.fetch(path, { headers: sent }),
      (path: string) => fetch(url + path, { headers: sent }),
    ]) {
      records.length = 0;
      const answers = await Promise.all([ask('/log'), ask('/log'), ask('/quiet'), ask('/nowhere')]);
      const ids = answers.map(({ headers }) => headers.get('x-request-id'));
      for (const id of ids)
        assert.match(id ?? '', /^[0-9a-f]{32}$/, 'an untrusted client cannot choose the id');
      assert.equal(new Set(ids).size, 4);
      assert.deepEqual(
        [...idsOf(records, 'first', 'second')].sort(),
        [ids[0], ids[0], ids[1], ids[1]].sort(),
      );
      const failed = await ask('/bug/pear?secret=1');
      const line = lines.at(-1) ?? '';
      const id = failed.headers.get('x-request-id');
      assert.match(
        line,
        /CRITICAL request: Uncaught TypeError: boom at test\/integration\/request-ids\.test\.ts:\d+ \(GET \/bug\/pear 500\) \[[0-9a-f]{32}\]\n/,
      );
      assert.ok(line.includes(`[${id}]`));
    }
    app.log.info('outside');
    assert.deepEqual(idsOf(records, 'outside'), [undefined]);
    await app.close();
  });

  it('are taken from trusted proxies, X-Request-Id before traceparent, if they are well formed', async () => {
    const { app, url } = await openShop(['loopback']);
    const idOf = async (headers: Record<string, string>): Promise<string | null> =>
      (await fetch(`${url}/quiet`, { headers })).headers.get('x-request-id');
    assert.equal(await idOf(sent), 'edge-1:2/3');
    assert.equal(await idOf({ traceparent: sent.traceparent }), trace);
    for (const bad of [
      { 'X-Request-Id': 'a b' },
      { 'X-Request-Id': 'x'.repeat(129) },
      { 'X-Request-Id': '<script>' },
      { traceparent: `00-${'0'.repeat(32)}-b7ad6b7169203331-01` },
      { traceparent: `00-${trace.toUpperCase()}-b7ad6b7169203331-01` },
      { traceparent: '00' },
    ])
      assert.match((await idOf(bad)) ?? '', /^[0-9a-f]{32}$/, JSON.stringify(bad));
    assert.equal(await idOf({ 'X-Request-Id': ' ', traceparent: sent.traceparent }), trace);
    await app.close();
  });

  it('are left to an application that sets its own', async () => {
    const app = createApp({ configuration: { profilerStore: 'off' } });
    app.get('/', () => new Response('x', { headers: { 'X-Request-Id': 'mine' } }));
    assert.equal((await app.fetch('/')).headers.get('x-request-id'), 'mine');
  });
});
