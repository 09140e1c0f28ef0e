import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CountStore } from '#security';
import type { ContractCase } from './contract-case.js';

const LONG = 60_000;

/** The contract of `CountStore`. `open` gives a store over the same counts each time it is called. */
export function checkCountStore(open: () => CountStore | Promise<CountStore>): readonly ContractCase[] {
  const check = (name: string, run: (store: CountStore, key: string) => Promise<void>): ContractCase => ({
    name,
    run: async () => run(await open(), randomUUID()),
  });
  const isTaken = async (store: CountStore, key: string, limit: number): Promise<boolean> =>
    (await store.take(key, limit, LONG)).isTaken;
  return [
    check('gives as many places as there are, to each key its own', async (store, key) => {
      assert.equal(await isTaken(store, key, 2), true);
      assert.equal(await isTaken(await open(), key, 2), true);
      assert.equal(await isTaken(store, key, 2), false);
      assert.equal(await isTaken(store, `${key}x`, 2), true);
    }),
    check('gives no place twice to many who ask at once', async (store, key) => {
      const stores = await Promise.all(Array.from({ length: 20 }, async () => open()));
      const taken = await Promise.all(stores.map(async (one) => one.take(key, 7, LONG)));
      assert.equal(taken.filter((one) => one.isTaken).length, 7);
      assert.equal(await isTaken(store, key, 7), false);
    }),
    check('keeps a place, gives one back, and gives back all', async (store, key) => {
      await store.take(key, 2, LONG);
      await store.settle(key, 'keep');
      await store.take(key, 2, LONG);
      await store.settle(key, 'free');
      const again = await store.take(key, 2, LONG);
      assert.deepEqual([again.isTaken, again.kept], [true, 1]);
      assert.equal(await isTaken(store, key, 2), false);
      await store.settle(key, 'clear');
      const cleared = await store.take(key, 2, LONG);
      assert.deepEqual([cleared.isTaken, cleared.kept], [true, 0]);
    }),
    check('says how long the count lasts, and the first place alone decides that', async (store, key) => {
      const first = await store.take(key, 1, LONG);
      assert.ok(first.endsIn > LONG - 5000 && first.endsIn <= LONG, String(first.endsIn));
      const refused = await store.take(key, 1, LONG * 10);
      assert.equal(refused.isTaken, false);
      assert.ok(refused.endsIn <= first.endsIn && refused.endsIn > LONG - 5000, String(refused.endsIn));
    }),
    check('begins anew when a count is over, and what belonged to it changes nothing', async (store, key) => {
      await store.take(key, 1, 40);
      await store.settle(key, 'keep');
      await sleep(80);
      await store.settle(key, 'keep');
      const next = await store.take(key, 1, LONG);
      assert.deepEqual([next.isTaken, next.kept], [true, 0]);
    }),
    check('settles what nobody took without making places', async (store, key) => {
      await store.settle(key, 'free');
      await store.take(key, 1, LONG);
      await store.settle(key, 'free');
      await store.settle(key, 'free');
      await store.settle(key, 'clear');
      assert.equal(await isTaken(store, key, 1), true);
      assert.equal(await isTaken(store, key, 1), false);
    }),
  ];
}
