import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Redis } from 'ioredis';
import { createTransport } from 'nodemailer';
import { createClient } from 'redis';
import type { ProfileRecord } from '#profiler';
import {
  createSpanProcessor,
  recordMail,
  recordQuery,
  startInstrumentations,
  type StartedInstrumentations,
} from '#profiler/instrumentation';
import { startRedis, type TestRedis } from '../security/start-redis.js';
import { createRecorderBench, dbOf, type RecorderBench } from './recorder-bench.js';

interface CacheSection {
  readonly commands: readonly {
    readonly command: string;
    readonly args: string;
    readonly hit: number | null;
    readonly error: string | null;
    readonly callSite: readonly { readonly file: string }[];
  }[];
  readonly totals: { readonly commands: number; readonly hits: number; readonly misses: number };
}
const cacheOf = ({ sections }: ProfileRecord): CacheSection => sections['cache'] as CacheSection; // the type that the collector stores

describe('caches, mail and spans', () => {
  let bench: RecorderBench;
  let instrumentations: StartedInstrumentations;
  let server: TestRedis;
  before(async () => {
    server = await startRedis();
    bench = createRecorderBench();
    instrumentations = startInstrumentations();
  });
  after(async () => {
    instrumentations.stop();
    await bench.close();
    await server.stop();
  });

  const clients: readonly [
    string,
    () => Promise<{ get(key: string): unknown; set(key: string, value: string): unknown; close(): unknown }>,
  ][] = [
    [
      'ioredis',
      async () => {
        const client = new Redis(server.url);
        await client.ping();
        return {
          get: (key) => client.get(key),
          set: (key, value) => client.set(key, value),
          close: () => client.disconnect(),
        };
      },
    ],
    [
      'redis',
      async () => {
        const client = createClient({ url: server.url });
        await client.connect();
        return {
          get: (key) => client.get(key),
          set: (key, value) => client.set(key, value),
          close: () => client.destroy(),
        };
      },
    ],
  ];
  for (const [name, connect] of clients) {
    it(`${name}: commands with keys, hits and misses, without values`, async () => {
      const client = await connect();
      const record = await bench.record(async () => {
        await client.get('user:none');
        await client.set(`user:${name}`, 'hunter2');
        await client.get(`user:${name}`);
        await client.get('session:4f1c9a7e55d2');
      });
      const { commands, totals } = cacheOf(record);
      assert.deepEqual(
        commands.map(({ command, args, hit }) => [command, args.replace(' ?', ''), hit]),
        [
          ['GET', 'user:none', 0],
          ['SET', `user:${name}`, null],
          ['GET', `user:${name}`, 1],
          ['GET', commands[3]?.args ?? '', 0],
        ],
      );
      assert.deepEqual([totals.commands, totals.hits, totals.misses], [4, 1, 2]);
      assert.doesNotMatch(JSON.stringify(record), /hunter2|4f1c9a7e55d2/);
      assert.match(commands[0]?.callSite[0]?.file ?? '', /cache-mail-spans\.test\.js$/);
      client.close();
    });

    it(`${name}: 60 concurrent requests, each with its own key`, async () => {
      const client = await connect();
      const asked = await Promise.all(
        Array.from({ length: 60 }, async (_, index) => ({
          index,
          token: await bench.run(() => client.get(`n${index}`)),
        })),
      );
      await bench.profiler.flush();
      for (const { index, token } of asked)
        assert.deepEqual(
          cacheOf(await bench.find(token)).commands.map(({ args }) => args),
          [`n${index}`],
        );
      client.close();
    });
  }

  it('redis: a transaction is one command with its size, a pipeline its commands', async () => {
    const client = createClient({ url: server.url });
    await client.connect();
    const record = await bench.record(async () => {
      await client.multi().set('a', 'hunter2').get('a').exec();
      await client.multi().get('a').execAsPipeline();
    });
    const { commands } = cacheOf(record);
    assert.deepEqual(
      commands.map(({ command, args }) => `${command} ${args}`),
      ['MULTI 2 commands', 'GET a'],
    );
    assert.match(commands[0]?.callSite[0]?.file ?? '', /cache-mail-spans\.test\.js$/);
    assert.doesNotMatch(JSON.stringify(record), /hunter2/);
    client.destroy();
  });

  it('nodemailer: recipients, subject, both texts, attachments, and failed messages', async () => {
    const transport = recordMail(createTransport({ jsonTransport: true }));
    const record = await bench.record(async () => {
      await transport.sendMail({
        from: 'Shop <shop@example.com>',
        to: ['ada@example.com', { name: 'Bob', address: 'bob@example.com' }],
        subject: 'Your order',
        text: 'Thank you',
        html: '<h1>Thank you</h1><script>alert(1)</script>',
        attachments: [{ filename: 'bill.txt', content: 'ten euros' }],
      });
      await assert.rejects(transport.sendMail({ from: 'x', to: 'y', html: { path: '/does/not/exist' } }));
    });
    const { messages } = record.sections['mail'] as { messages: readonly Record<string, unknown>[] }; // the type that the collector stores
    const [sent, failed] = messages;
    assert.deepEqual(
      [sent?.['from'], sent?.['to'], sent?.['subject'], sent?.['text'], sent?.['error']],
      [
        ['Shop <shop@example.com>'],
        ['ada@example.com', 'Bob <bob@example.com>'],
        'Your order',
        'Thank you',
        null,
      ],
    );
    assert.match(String(sent?.['html']), /^<h1>Thank you/);
    assert.deepEqual(sent?.['attachments'], [{ name: 'bill.txt', type: 'text/plain', bytes: 9 }]);
    assert.match(String(failed?.['error']), /ENOENT/);
    assert.throws(() => recordMail({}), { code: 'INSTRUMENTATION_UNKNOWN_TARGET' });
  });

  it('OpenTelemetry spans are bars in the timeline', async () => {
    const processor = createSpanProcessor();
    const record = await bench.record(() => {
      const span = { name: 'render invoice', attributes: { pages: 3, note: {} } };
      processor.onStart(span);
      processor.onEnd(span);
    });
    assert.ok(record.timeline.some(({ name }) => name === 'render invoice'));
    await processor.shutdown();
  });

  it('recordQuery works with any other client', async () => {
    const record = await bench.record(() => {
      recordQuery({
        sql: 'select * from t where id = ?',
        params: [7],
        startedAt: performance.now() - 12,
        rows: 3,
        system: 'duckdb',
      });
      recordQuery({ sql: 'broken', durationMs: 1, error: new Error('no such thing') });
    });
    const [query, failed] = dbOf(record).queries;
    assert.deepEqual([query?.rows, query?.connection, query?.params[0]?.value.text], [3, 'duckdb', '7']);
    assert.ok((query?.durationMs ?? 0) >= 12);
    assert.match(query?.callSite[0]?.file ?? '', /cache-mail-spans\.test\.js$/);
    assert.equal(failed?.error, 'no such thing');
    recordQuery({ sql: 'outside of requests' });
  });
});
