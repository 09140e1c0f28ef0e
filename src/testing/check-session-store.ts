import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SessionRecord, SessionStore } from '#security';
import type { ContractCase } from './contract-case.js';

/** The contract of `SessionStore`. `open` gives a store over the same sessions each time it is called. */
export function checkSessionStore(open: () => SessionStore | Promise<SessionStore>): readonly ContractCase[] {
  const lasting = (data: string): SessionRecord => ({
    data,
    createdAt: Date.now() - 1000,
    expiresAt: Date.now() + 60_000,
  });
  const check = (name: string, run: (store: SessionStore, key: string) => Promise<void>): ContractCase => ({
    name,
    run: async () => run(await open(), randomUUID()),
  });
  const put = async (store: SessionStore, key: string, record: SessionRecord): Promise<void> => {
    assert.equal(await store.lock(key, 'writer', 10_000), true);
    assert.equal(await store.write(key, 'writer', record), true);
    await store.unlock(key, 'writer');
  };
  return [
    check('gives back what was written, to the letter', async (store, key) => {
      assert.equal(await store.read(key), undefined);
      const record = lasting('[["näme","ЖÖ😀\\u0000\'\\"; DROP TABLE x --"]]');
      await put(store, key, record);
      assert.deepEqual({ ...(await store.read(key)) }, record);
      await put(store, key, { ...record, data: '[]' });
      assert.equal((await store.read(key))?.data, '[]');
    }),
    check('keeps keys apart', async (store, key) => {
      await put(store, key, lasting('one'));
      await put(store, `${key}x`, lasting('two'));
      assert.equal((await store.read(key))?.data, 'one');
      assert.equal((await store.read(`${key}x`))?.data, 'two');
    }),
    check('forgets a session that is over', async (store, key) => {
      await put(store, key, { ...lasting('short'), expiresAt: Date.now() + 40 });
      await sleep(80);
      assert.equal(await store.read(key), undefined);
    }),
    check('removes a session', async (store, key) => {
      await put(store, key, lasting('gone soon'));
      assert.equal(await store.lock(key, 'a', 10_000), true);
      assert.equal(await store.write(key, 'a', undefined), true);
      assert.equal(await store.read(key), undefined);
      await store.unlock(key, 'a');
    }),
    check('moves the end of a session without touching its data, and makes none', async (store, key) => {
      const record = lasting('kept');
      await put(store, key, record);
      await store.touch(key, record.expiresAt + 5000);
      assert.deepEqual({ ...(await store.read(key)) }, { ...record, expiresAt: record.expiresAt + 5000 });
      await store.touch(`${key}-none`, record.expiresAt);
      assert.equal(await store.read(`${key}-none`), undefined);
    }),
    ...lockCases(check, lasting),
  ];
}

type Check = (name: string, run: (store: SessionStore, key: string) => Promise<void>) => ContractCase;

function lockCases(check: Check, lasting: (data: string) => SessionRecord): readonly ContractCase[] {
  return [
    check('lets one owner in at a time', async (store, key) => {
      assert.equal(await store.lock(key, 'a', 10_000), true);
      assert.equal(await store.lock(key, 'b', 10_000), false);
      await store.unlock(key, 'b'); // not its own
      assert.equal(await store.lock(key, 'b', 10_000), false);
      await store.unlock(key, 'a');
      assert.equal(await store.lock(key, 'b', 10_000), true);
      await store.unlock(key, 'b');
    }),
    check('writes nothing for whoever does not hold the lock', async (store, key) => {
      assert.equal(await store.write(key, 'a', lasting('without')), false);
      assert.equal(await store.read(key), undefined);
      await store.lock(key, 'a', 10_000);
      assert.equal(await store.write(key, 'b', lasting('foreign')), false);
      assert.equal(await store.write(key, 'b', undefined), false);
      assert.equal(await store.read(key), undefined);
      await store.unlock(key, 'a');
    }),
    check('lets a lock fall off, and the overtaken owner changes nothing', async (store, key) => {
      assert.equal(await store.lock(key, 'slow', 40), true);
      await sleep(80);
      assert.equal(await store.lock(key, 'next', 10_000), true);
      assert.equal(await store.write(key, 'next', lasting('next')), true);
      assert.equal(await store.write(key, 'slow', lasting('late')), false);
      assert.equal(await store.write(key, 'slow', undefined), false);
      assert.equal((await store.read(key))?.data, 'next');
      await store.unlock(key, 'slow');
      assert.equal(await store.lock(key, 'third', 10_000), false);
      await store.unlock(key, 'next');
    }),
    check('gives a lock to one of many who ask at once', async (store, key) => {
      const owners = Array.from({ length: 12 }, (_, index) => `owner ${index}`);
      const got = await Promise.all(owners.map(async (owner) => store.lock(key, owner, 10_000)));
      assert.equal(got.filter(Boolean).length, 1);
    }),
  ];
}
