import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { RememberedLogin, RememberMeStore } from '#security';
import type { ContractCase } from './contract-case.js';

/** The contract of `RememberMeStore`. */
export function checkRememberMeStore(
  open: () => RememberMeStore | Promise<RememberMeStore>,
): readonly ContractCase[] {
  const login = (identifier: string = randomUUID()): RememberedLogin => ({
    series: `series-${randomUUID()}`, // letters of both cases are told apart
    identifier,
    fingerprint: 'f',
    tokenHash: 'first',
    previousHash: undefined,
    rotatedAt: Date.now(),
    expiresAt: Date.now() + 60_000,
  });
  const check = (name: string, run: (store: RememberMeStore) => Promise<void>): ContractCase => ({
    name,
    run: async () => run(await open()),
  });
  return [
    check('finds what was inserted, by its whole series only', async (store) => {
      const given = login('a"\'; --');
      await store.insert(given);
      assert.deepEqual({ ...(await store.find(given.series)) }, given);
      assert.equal(await store.find(given.series.slice(1)), undefined);
      assert.equal(await store.find(given.series.toUpperCase()), undefined);
    }),
    check('changes a token once, and remembers the one before', async (store) => {
      const given = login();
      await store.insert(given);
      const rotation = { tokenHash: 'second', rotatedAt: 5, expiresAt: given.expiresAt + 1 };
      const results = await Promise.all([
        store.rotate(given.series, 'first', rotation),
        store.rotate(given.series, 'first', { ...rotation, tokenHash: 'other' }),
      ]);
      assert.equal(results.filter(Boolean).length, 1);
      const found = await store.find(given.series);
      assert.equal(found?.previousHash, 'first');
      assert.equal(found.tokenHash, results[0] ? 'second' : 'other');
      assert.equal(found.rotatedAt, 5);
      assert.equal(await store.rotate('no-such-series', 'first', rotation), false);
    }),
    check('forgets one device, or all of a user', async (store) => {
      const user = randomUUID();
      const [one, two, other] = [login(user), login(user), login()];
      for (const each of [one, two, other]) await store.insert(each);
      await store.remove(one.series);
      assert.equal(await store.find(one.series), undefined);
      assert.notEqual(await store.find(two.series), undefined);
      await store.removeUser(user);
      assert.equal(await store.find(two.series), undefined);
      assert.notEqual(await store.find(other.series), undefined);
    }),
  ];
}
