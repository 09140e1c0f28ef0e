import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DatabaseSync } from '@photostructure/sqlite';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import {
  createMemoryExpiringStore,
  createRedisExpiringStore,
  createSqliteExpiringStore,
  type ExpiringStore,
} from 'lookback/security';
import { startRedis } from './start-redis.js';

type Step = (store: ExpiringStore) => unknown;

const key = fc.constantFrom('a', 'a', 'b');
const value = fc.constantFrom('1', '1', '');
/** Lifetimes that expire immediately, or not within this test. */
const lifetime = fc.constantFrom(-1, 600_000, 600_000, 600_000);

const steps = fc.oneof(
  fc
    .record({ key })
    .map((given): [string, Step] => [
      `get ${given.key}`,
      async (store) => (await store.get(given.key))?.value,
    ]),
  fc
    .record({ key, value, lifetime, expected: fc.constantFrom(undefined, null, '1', '1') })
    .map((given): [string, Step] => [
      `put ${JSON.stringify(given)}`,
      ({ put }) =>
        put(given.key, given.value, {
          lifetime: given.lifetime,
          ...(given.expected === undefined ? {} : { expected: given.expected }),
        }),
    ]),
  fc
    .record({ key, expected: fc.constantFrom(undefined, '1') })
    .map((given): [string, Step] => [
      `remove ${JSON.stringify(given)}`,
      ({ remove }) => (given.expected === undefined ? remove(given.key) : remove(given.key, given.expected)),
    ]),
  fc
    .record({ key, lifetime })
    .map((given): [string, Step] => [
      `extend ${JSON.stringify(given)}`,
      ({ extend }) => extend(given.key, given.lifetime),
    ]),
  fc
    .record({ key, limit: fc.integer({ min: 1, max: 3 }), lifetime: fc.constant(600_000) })
    .map((given): [string, Step] => [
      `take ${JSON.stringify(given)}`,
      async ({ take }) => {
        const { isTaken, kept } = await take(given.key, given.limit, given.lifetime);
        return { isTaken, kept };
      },
    ]),
  fc
    .record({ key, how: fc.constantFrom('keep' as const, 'free' as const, 'clear' as const) })
    .map((given): [string, Step] => [
      `settle ${JSON.stringify(given)}`,
      ({ settle }) => settle(given.key, given.how),
    ]),
);

/** Runs the same steps on a store in memory and on another one. */
async function agree(open: (prefix: string) => ExpiringStore, numRuns: number): Promise<void> {
  let round = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { maxLength: 25 }), async (all) => {
      const stores = [createMemoryExpiringStore(), open(`r${process.pid}_${round++}`)];
      const answers: string[][] = [[], []];
      for (const [name, step] of all)
        for (const [index, store] of stores.entries())
          answers[index]?.push(`${name} → ${JSON.stringify((await step(store)) ?? null)}`);
      assert.deepEqual(answers[1], answers[0]);
    }),
    { numRuns },
  );
}

describe('an expiring store returns the same results as the one in memory, for any sequence of calls', () => {
  it('SQLite', async () => {
    const database = new DatabaseSync(':memory:');
    try {
      await agree((prefix) => createSqliteExpiringStore(database, { prefix }), 1500);
    } finally {
      database.close();
    }
  });

  it('Redis', async () => {
    const server = await startRedis();
    const client = new Redis(server.url);
    try {
      await agree((prefix) => createRedisExpiringStore(client, { prefix }), 400);
    } finally {
      client.disconnect();
      await server.stop();
    }
  });
});
