import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { createApp } from 'lookback';
import type { ProfileRecord } from 'lookback/profiler';
import { recordJobs } from 'lookback/instrumentation';
import { startRedis, type TestRedis } from '../security/start-redis.js';
import { shown, textOf } from './check-panels.js';

const burnMs = 80;
const waitMs = 40;

/** Uses CPU time for a while, whatever else the machine is doing. */
function burnInHandler(): number {
  const begun = process.cpuUsage();
  let sum = 0;
  while (process.cpuUsage(begun).user < burnMs * 1000)
    for (let n = 0; n < 100_000; n++) sum = (sum * 31 + n) % 1_000_003;
  return sum;
}

function millisecondsIn(text: string, name: string): number {
  const [, number = '', unit] = new RegExp(`\\b${name} ([\\d.,]+) (ms|s)\\b`).exec(text) ?? [];
  assert.ok(unit !== undefined, `${name} in “${text}”`);
  return Number(number.replaceAll(',', '')) * (unit === 's' ? 1000 : 1);
}

describe('cache commands, jobs and CPU time in requests with known facts', () => {
  let url = '';
  let server: TestRedis;
  let cache: Redis;
  let queue: Queue;
  let connection: { host: string; port: number };
  const app = createApp({
    configuration: { env: 'dev', debug: true, profilerStore: 'memory:', host: '127.0.0.1', port: 0 },
    logHandlers: [],
  });
  before(async () => {
    server = await startRedis();
    const { hostname: host, port } = new URL(server.url);
    connection = { host, port: Number(port) };
    cache = new Redis(connection);
    queue = recordJobs(new Queue('mail', { connection }));
    await Promise.all([cache.set('known', '1'), queue.waitUntilReady()]);
    app.get('/cached', async () => {
      await cache.get('known');
      await cache.get('unknown');
      await cache.get('known');
      await cache.set('written', 'the value itself');
      await assert.rejects(cache.call('GET'));
      return 'read';
    });
    app.get('/queued', async () => {
      await queue.add('welcome', { to: 'ada@example.com' });
      await queue.addBulk([{ name: 'bill', data: {} }]);
      return 'queued';
    });
    app.get('/computed', async () => {
      burnInHandler();
      await wait(waitMs); // the profile must show this as waiting
      return 'computed';
    });
    ({ url } = await app.listen());
  });
  after(async () => {
    await Promise.all([queue.close(), cache.quit()]);
    await app.close();
    await server.stop();
  });

  const ask = async (path: string, init: RequestInit = {}): Promise<ProfileRecord> => {
    const answer = await fetch(url + path, init);
    await answer.text();
    const token = answer.headers.get('x-debug-token') ?? '';
    await app.profiler?.find(token); // wait until its record is closed
    return (await (await fetch(`${url}/_profiler/${token}.json`)).json()) as ProfileRecord; // the record as JSON
  };
  const panelOf = async (token: string, panel: string): Promise<string> => {
    const html = await (await fetch(`${url}/_profiler/${token}?panel=${panel}`)).text();
    return textOf(html.slice(html.indexOf('<main'), html.lastIndexOf('</main>')));
  };

  it('the cache panel counts commands, hits and misses, and names keys but never written values', async () => {
    const { token, durationMs } = await ask('/cached');
    const text = await panelOf(token, 'cache');
    for (const said of [
      /\b5 commands\b|\bcommands 5\b/,
      /\bhits 2\b|\b2 hits\b/,
      /\bmisses 1\b|\b1 misses\b/,
      /GET known .*? hit .*GET unknown .*? miss .*GET known .*? hit .*SET written .*? – /,
      /Error ERR wrong number of arguments for 'get' command .*? – $/,
    ])
      assert.match(text, said);
    assert.doesNotMatch(text, /the value itself/);
    assert.ok(millisecondsIn(text, 'waiting') <= durationMs);
  });

  it("the jobs panel names the added jobs; a job's record has its job and outcome", async () => {
    const { token } = await ask('/queued');
    const text = await panelOf(token, 'jobs');
    assert.match(text, /mail welcome Data .*? 1 .*mail bill Data .*? 2 /);
    assert.match(text, /ada@example\.com/);
    const worker = recordJobs(
      new Worker('mail', ({ name }) => Promise.resolve(`${name} sent`), { connection, autorun: false }),
    );
    worker.on('error', () => undefined);
    const drained = once(worker, 'drained');
    worker.run().catch(() => undefined);
    await drained;
    await worker.close();
    const rows = (await app.profiler?.list({ limit: 50 }))?.rows.filter(({ method }) => method === 'JOB');
    assert.deepEqual(rows?.map(({ path, status }) => [path, status]).toSorted(), [
      ['/mail/bill', 200],
      ['/mail/welcome', 200],
    ]);
    const [welcome] = rows?.filter(({ path }) => path === '/mail/welcome') ?? [];
    assert.match(
      await panelOf(welcome?.token ?? '', 'jobs'),
      /This is the record of a job .*Queue mail .*Name welcome .*Id 1 .*Attempt 1 .*Result "?welcome sent/,
    );
    const trace = await panelOf(token, 'trace');
    assert.match(trace, /\/mail\/welcome/);
    assert.match(trace, /\/mail\/bill/);
  });

  it('a CPU profile names the busy function with its time, and adds up to the observed time', async () => {
    const asked = performance.now();
    const { token, durationMs } = await ask('/computed?_profile=cpu');
    const waitedMs = performance.now() - asked;
    const text = await panelOf(token, 'cpu');
    const [profiled, ran, idle] = ['profiled', 'on the CPU', 'waiting'].map((name) =>
      millisecondsIn(text, name),
    );
    const unseen = text.includes(' not sampled ') ? millisecondsIn(text, 'not sampled') : 0;
    const sum = (ran ?? 0) + (idle ?? 0) + unseen;
    assert.ok(Math.abs((profiled ?? 0) - sum) <= sum * 0.02, `${profiled} of ${ran}, ${idle} and ${unseen}`); // within rounding
    assert.ok((profiled ?? 0) <= waitedMs * 1.01, `${profiled} of ${waitedMs} ms`);
    const rows = text.slice(text.indexOf('Functions by self time'));
    const [, self = ''] = /burnInHandler ([\d.]+) ms/.exec(rows) ?? [];
    // `process.cpuUsage` also counts other CPU work in the process.
    assert.ok(Number(self) > 0 && Number(self) <= (ran ?? 0) + 0.1, rows);
    assert.match(rows, /burnInHandler .*truth-work\.test\.ts:\d+/);
    assert.match(text, /no other request began meanwhile/);
    assert.match(await panelOf(token, 'time'), new RegExp(shown(durationMs).replace('.', '\\.')));
  });
});
