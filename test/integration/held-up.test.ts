import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import express from 'express';
import { createApp } from 'lookback';
import { findingsOf, type ProfileRecord } from 'lookback/profiler';
import { lookback } from 'lookback/express';
import { until } from '../until.js';

interface LoopSection {
  readonly ownMs: number;
  readonly waits: readonly {
    readonly token: string | null;
    readonly startMs: number;
    readonly durationMs: number;
  }[];
}

/** Uses some milliseconds of CPU time, however long that takes on a busy machine. */
function block(ms: number): string {
  const before = process.cpuUsage();
  for (;;) {
    const { user, system } = process.cpuUsage(before);
    if (user + system >= ms * 1000) return 'done';
  }
}

/** Callbacks for requests to /wait: `begin` is called once one has begun, and `end` ends it. */
let begin: () => void = () => undefined;
let end: () => void = () => undefined;
function waitForEnd(): Promise<void> {
  begin();
  return new Promise((resolve) => (end = resolve));
}

const servers = {
  async 'an application'() {
    const app = createApp({
      configuration: { env: 'test', debug: true, profilerStore: 'memory:', host: '127.0.0.1', port: 0 },
      logHandlers: [],
    });
    app.get('/short', () => block(100));
    app.get('/block', () => block(200));
    app.get('/long', () => block(400));
    app.get('/later', async () => {
      await wait(20); // the rest runs later
      return block(200);
    });
    app.get('/wait', async () => {
      await waitForEnd();
      return 'waited';
    });
    const { port } = await app.listen();
    return { url: `http://127.0.0.1:${port}`, close: () => app.close() };
  },
  async 'an Express application'() {
    const app = express();
    const watch = lookback({ store: 'memory:' });
    app.use(watch);
    app.get('/short', (_request, response) => void response.send(block(100)));
    app.get('/block', (_request, response) => void response.send(block(200)));
    app.get('/long', (_request, response) => void response.send(block(400)));
    app.get('/later', async (_request, response) => {
      await wait(20); // the rest runs later
      response.send(block(200));
    });
    app.get('/wait', async (_request, response) => {
      await waitForEnd();
      response.send('waited');
    });
    const server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const close = async (): Promise<void> => {
      server.closeAllConnections();
      server.close();
      await watch.close();
    };
    return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`, close };
  },
};

for (const [name, start] of Object.entries(servers))
  describe(`blocking ${name}'s event loop`, () => {
    let server: Awaited<ReturnType<typeof start>>;
    before(async () => {
      server = await start();
    });
    after(() => server.close());

    const ask = async (path: string): Promise<string> => {
      const answer = await fetch(`${server.url}${path}`);
      await answer.text();
      return answer.headers.get('x-debug-token') ?? '';
    };
    /** Returns once a request is waiting; `ended` ends it. */
    const askToWait = async (): Promise<{ ended: () => Promise<string> }> => {
      const begun = new Promise<void>((resolve) => (begin = resolve));
      const asked = ask('/wait');
      await begun;
      await new Promise(setImmediate); // in a later turn of the event loop than the request
      return { ended: () => (end(), asked) };
    };
    const recordOf = async (token: string): Promise<ProfileRecord & { loop?: LoopSection }> => {
      const answer = await fetch(`${server.url}/_profiler/${token}.json`);
      const record = (await answer.json()) as ProfileRecord; // the record as JSON
      const loop = record.sections['loop'] as LoopSection | undefined; // the type that the collector stores
      return { ...record, ...(loop === undefined ? {} : { loop }) };
    };

    const texts = (record: ProfileRecord): string =>
      findingsOf(record)
        .map(({ text }) => text)
        .join('\n');

    for (const path of ['/block', '/later'])
      it(`a request that waits meanwhile names the blocking one, which reports it itself (${path})`, async () => {
        await (await askToWait()).ended(); // loads code that is loaded only once
        const { blocking, waited, its, own } = await until(async () => {
          const waiting = await askToWait();
          const blocker = await ask(path);
          const waiter = await waiting.ended();
          const records = { its: await recordOf(waiter), own: await recordOf(blocker) };
          // If a busy machine stopped the process for that long, the cause is ambiguous: the requests are sent again.
          const isMeasured = (records.own.loop?.ownMs ?? 0) >= 100;
          return isMeasured ? { blocking: blocker, waited: waiter, ...records } : undefined;
        }, `a block by ${path}`);
        const named = its.loop?.waits.find(({ token }) => token === blocking);
        assert.ok((named?.durationMs ?? 0) >= 60, JSON.stringify(its.loop));
        assert.match(
          texts(its),
          new RegExp(`${blocking} blocked the event loop (?:2 times )?for .* meanwhile`),
        );
        assert.match(texts(own), /Blocked the event loop (?:2 times )?for/);
        const page = await (await fetch(`${server.url}/_profiler/${waited}?panel=time`)).text();
        assert.ok(page.includes(`href="/_profiler/${blocking}"`), 'a link to the request that blocked it');
      });

    it('a waiting request first names the one that blocked the event loop longest', async () => {
      // If a busy machine stopped the process for too long, the cause is ambiguous: the requests are sent again.
      const [named, both] = await until(async () => {
        const waiting = await askToWait();
        const [short, long] = [await ask('/short'), await ask('/long')];
        const waits = (await recordOf(await waiting.ended())).loop?.waits ?? [];
        const isMeasured = waits.length === 2 && waits.some(({ durationMs }) => durationMs >= 200);
        return isMeasured ? [waits.map(({ token }) => token), [long, short]] : undefined;
      }, 'both named');
      assert.deepEqual(named, both);
    });

    it('a request that begins after another has ended did not wait for it', async () => {
      await ask('/block');
      const { loop } = await recordOf(await ask('/block'));
      assert.deepEqual(loop?.waits ?? [], []);
    });

    it('no request is named if one only waits, and other work is not attributed to it', async () => {
      const asked = await askToWait();
      block(80); // outside any request
      await wait(1); // it continues in a later turn of the event loop
      const { loop } = await recordOf(await asked.ended());
      assert.deepEqual(new Set(loop?.waits.map(({ token }) => token)), new Set([null]));
      assert.ok((loop?.ownMs ?? 0) < 40, JSON.stringify(loop)); // any work attributed to it comes from a busy machine
    });
  });
