import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ExpiringStore } from 'lookback/security';
import type { ContractCase } from './contract-case.js';

const longMs = 60_000;
const lasting = { lifetime: longMs };
const fresh = { lifetime: longMs, expected: null };

type Open = () => ExpiringStore | Promise<ExpiringStore>;

/** The contract suite for `ExpiringStore`. Each call of `open` returns a store with the same entries, as in another process. */
export function checkExpiringStore(open: Open): readonly ContractCase[] {
  return Object.entries(cases).map(([name, check]) => ({
    name,
    run: async () => check(await open(), `test:${randomUUID()}`, open),
  }));
}

async function valueOf(store: ExpiringStore, key: string): Promise<string | undefined> {
  return (await store.get(key))?.value;
}

async function isTaken(store: ExpiringStore, key: string, limit: number): Promise<boolean> {
  return (await store.take(key, limit, longMs)).isTaken;
}

/** The cases by name; each is called with a store and a unique key. */
const cases: Readonly<Record<string, (store: ExpiringStore, key: string, open: Open) => Promise<void>>> = {
  async 'returns stored values exactly, with their expiry'(store, key) {
    assert.equal(await store.get(key), undefined);
    const value = '[["näme","ЖÖ😀\\u0000\'\\"; DROP TABLE x -- $1 ?"]]\n ';
    assert.equal(await store.put(key, value, lasting), true);
    const entry = await store.get(key);
    assert.equal(entry?.value, value);
    assert.ok(entry.endsIn > longMs - 5000 && entry.endsIn <= longMs, String(entry.endsIn));
    assert.equal(await store.put(key, '', lasting), true);
    assert.equal(await valueOf(store, key), '');
  },
  async 'distinguishes keys, including by case'(store, key) {
    for (const one of [key, `${key}x`, key.toUpperCase()]) await store.put(one, one, lasting);
    for (const one of [key, `${key}x`, key.toUpperCase()]) assert.equal(await valueOf(store, one), one);
    assert.equal(await store.get(key.slice(0, -1)), undefined);
  },
  async 'ignores expired entries in every method'(store, key) {
    await store.put(key, 'short', { lifetime: 40 });
    await sleep(80); // an entry of 40 ms has expired, whichever clock the store uses
    assert.equal(await store.get(key), undefined);
    assert.equal(await store.put(key, 'other', { ...lasting, expected: 'short' }), false);
    await store.extend(key, longMs);
    assert.equal(await store.get(key), undefined);
    assert.equal(await store.remove(key), false);
    assert.equal(await store.put(key, 'next', fresh), true);
    assert.equal(await valueOf(store, key), 'next');
  },
  async 'accepts lifetimes of any length and fraction'(store, key) {
    for (const lifetime of [Infinity, 1e21, longMs + 0.5]) {
      assert.equal(await store.put(key, String(lifetime), { lifetime }), true);
      assert.equal(await valueOf(store, key), String(lifetime));
      await store.extend(key, lifetime);
      assert.equal(await valueOf(store, key), String(lifetime));
      assert.equal((await store.take(`${key}:${lifetime}`, 1, lifetime)).isTaken, true);
      assert.equal((await store.take(`${key}:${lifetime}`, 1, lifetime)).isTaken, false);
    }
    await store.extend(key, -1e21);
    assert.equal(await store.get(key), undefined);
  },
  async 'changes the expiry of an entry without changing its value, and creates no entry'(store, key) {
    await store.put(key, 'kept', { lifetime: longMs / 2 });
    await store.extend(key, longMs);
    const entry = await store.get(key);
    assert.equal(entry?.value, 'kept');
    assert.ok(entry.endsIn > longMs - 5000 && entry.endsIn <= longMs, String(entry.endsIn));
    assert.equal(await store.put(key, 'changed', { ...lasting, expected: 'kept' }), true);
    await store.extend(`${key}-none`, longMs);
    assert.equal(await store.get(`${key}-none`), undefined);
  },
  async 'removes an entry once'(store, key) {
    await store.put(key, 'gone soon', lasting);
    assert.equal(await store.remove(key), true);
    assert.equal(await store.get(key), undefined);
    assert.equal(await store.remove(key), false);
  },
  async 'puts and removes only if the value is the expected one'(store, key) {
    assert.equal(await store.put(key, 'a', { ...lasting, expected: '' }), false);
    assert.equal(await store.get(key), undefined);
    assert.equal(await store.put(key, 'a', fresh), true);
    assert.equal(await store.put(key, 'b', fresh), false);
    assert.equal(await store.put(key, 'b', { ...lasting, expected: 'A' }), false);
    assert.equal(await store.remove(key, 'b'), false);
    assert.equal(await valueOf(store, key), 'a');
    assert.equal(await store.put(key, 'b', { ...lasting, expected: 'a' }), true);
    assert.equal(await store.remove(key, 'b'), true);
    assert.equal(await store.get(key), undefined);
  },
  async 'lets exactly one of many concurrent puts succeed'(store, key, open) {
    const stores = await Promise.all(Array.from({ length: 12 }, async () => open()));
    const put = await Promise.all(stores.map(async (one, index) => one.put(key, String(index), fresh)));
    assert.equal(put.filter(Boolean).length, 1);
    assert.equal(await valueOf(store, key), String(put.indexOf(true)));
  },
  async 'lets exactly one of many concurrent changes succeed'(store, key, open) {
    await store.put(key, 'start', lasting);
    const stores = await Promise.all(Array.from({ length: 12 }, async () => open()));
    const put = await Promise.all(
      stores.map(async (one, index) => one.put(key, String(index), { ...lasting, expected: 'start' })),
    );
    assert.equal(put.filter(Boolean).length, 1);
    assert.equal(await valueOf(store, key), String(put.indexOf(true)));
  },
  async 'lets exactly one of many concurrent removals succeed'(store, key, open) {
    await store.put(key, 'ticket', lasting);
    const stores = await Promise.all(Array.from({ length: 12 }, async () => open()));
    const removed = await Promise.all(stores.map(async (one) => one.remove(key, 'ticket')));
    assert.equal(removed.filter(Boolean).length, 1);
  },
  async 'grants as many slots as allowed, separately for each key'(store, key, open) {
    assert.equal(await isTaken(store, key, 2), true);
    assert.equal(await isTaken(await open(), key, 2), true);
    assert.equal(await isTaken(store, key, 2), false);
    assert.equal(await isTaken(store, `${key}x`, 2), true);
  },
  async 'grants no slot twice to concurrent callers'(store, key, open) {
    const stores = await Promise.all(Array.from({ length: 20 }, async () => open()));
    const taken = await Promise.all(stores.map(async (one) => one.take(key, 7, longMs)));
    assert.equal(taken.filter((one) => one.isTaken).length, 7);
    assert.equal(await isTaken(store, key, 7), false);
  },
  async 'keeps a slot, releases one, and releases all'(store, key) {
    await store.take(key, 2, longMs);
    await store.settle(key, 'keep');
    await store.take(key, 2, longMs);
    await store.settle(key, 'free');
    const again = await store.take(key, 2, longMs);
    assert.deepEqual([again.isTaken, again.kept], [true, 1]);
    assert.equal(await isTaken(store, key, 2), false);
    await store.settle(key, 'clear');
    const cleared = await store.take(key, 2, longMs);
    assert.deepEqual([cleared.isTaken, cleared.kept], [true, 0]);
  },
  async 'settling slots that were not taken creates none'(store, key) {
    await store.settle(key, 'free');
    await store.take(key, 1, longMs);
    await store.settle(key, 'free');
    await store.settle(key, 'free');
    await store.settle(key, 'clear');
    assert.equal(await isTaken(store, key, 1), true);
    assert.equal(await isTaken(store, key, 1), false);
  },
  async 'reports how long a count lasts, which only its first slot determines'(store, key) {
    const first = await store.take(key, 1, longMs);
    assert.ok(first.endsIn > longMs - 5000 && first.endsIn <= longMs, String(first.endsIn));
    const refused = await store.take(key, 1, longMs * 10);
    assert.equal(refused.isTaken, false);
    assert.ok(refused.endsIn <= first.endsIn && refused.endsIn > longMs - 5000, String(refused.endsIn));
  },
  async 'starts over when a count expires, and settling slots of the old count changes nothing'(store, key) {
    await store.take(key, 1, 40);
    await store.settle(key, 'keep');
    await sleep(80); // an entry of 40 ms has expired, whichever clock the store uses
    await store.settle(key, 'keep');
    const next = await store.take(key, 1, longMs);
    assert.deepEqual([next.isTaken, next.kept], [true, 0]);
  },
};
