import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { LoginThrottle } from 'lookback/security';
import type { ContractCase } from './contract-case.js';

/**
 * The contract suite for `LoginThrottle`. Each call of `open` returns a throttle with the same counts, as in another process, which allows
 * two failures per minute by one user from one address, and three failures from one address.
 */
export function checkLoginThrottle(
  open: () => LoginThrottle | Promise<LoginThrottle>,
): readonly ContractCase[] {
  const address = freshAddress();
  const cases: Readonly<Record<string, (one: LoginThrottle, from: string) => Promise<void>>> = {
    async 'refuses a user after two failures, in every process, and says for how long'(one, from) {
      const other = await open();
      await fail(one, 'ada', from);
      await fail(other, 'Ada', from);
      await assertRefused(one, 'ada', from);
      await assertRefused(other, 'ADA', from);
      assert.equal(await other.take('bob', from), undefined);
    },
    async 'refuses an address after three failures, whichever user it names'(one, from) {
      for (const user of ['ada', 'bob', 'cleo']) await fail(await open(), user, from);
      await assertRefused(one, 'dan', from);
      assert.equal(await one.take('dan', address()), undefined);
    },
    async 'a success clears the failures of the user, but not those of the address'(one, from) {
      await fail(one, 'ada', from);
      assert.equal(await one.take('ada', from), undefined);
      await one.settle('ada', from, 'success');
      await fail(one, 'ada', from);
      await fail(await open(), 'ada', from);
      await assertRefused(one, 'bob', from);
    },
    async 'unsettled attempts do not count'(one, from) {
      for (let n = 0; n < 5; n++) {
        assert.equal(await one.take('ada', from), undefined);
        await one.settle('ada', from, 'unknown');
      }
    },
    async 'admits no more concurrent attempts than there are free slots; the others wait for these'(
      one,
      from,
    ) {
      const other = await open();
      const user = randomUUID();
      assert.equal(await one.take(user, from), undefined);
      assert.equal(await other.take(user, from), undefined);
      let decided = 0;
      const waiting = [one.take(user, from), other.take(user, from)].map(async (answer) => {
        const seconds = await answer;
        decided++;
        return seconds;
      });
      await new Promise((resolve) => setTimeout(resolve, 120)); // longer than a store takes to decide
      assert.equal(decided, 0);
      await one.settle(user, from, 'failure');
      await other.settle(user, from, 'failure');
      for (const seconds of await Promise.all(waiting)) assert.ok(Number(seconds) >= 1, String(seconds));
    },
  };
  return Object.entries(cases).map(([name, check]) => ({
    name,
    run: async () => check(await open(), address()),
  }));
}

async function fail(throttle: LoginThrottle, user: string, from: string): Promise<void> {
  assert.equal(await throttle.take(user, from), undefined);
  await throttle.settle(user, from, 'failure');
}

async function assertRefused(throttle: LoginThrottle, user: string, from: string): Promise<void> {
  const seconds = Number(await throttle.take(user, from));
  assert.ok(seconds >= 1 && seconds <= 60, String(seconds));
}

/** Returns a function that creates documentation addresses (RFC 3849), each in its own random network. */
function freshAddress(): () => string {
  const randomGroup = (): string => Math.floor(Math.random() * 0xffff).toString(16);
  return () => `2001:db8:${randomGroup()}:${randomGroup()}::1`;
}
