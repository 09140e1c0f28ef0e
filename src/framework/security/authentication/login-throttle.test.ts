import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createMemoryExpiringStore } from '../stores/expiring-store.js';
import { createLoginThrottle } from './login-throttle.js';

describe('createLoginThrottle', () => {
  it('allows as many concurrent attempts as there are free slots, and decides on the others once these are settled', async () => {
    const throttle = createLoginThrottle({ perUser: 2 });
    assert.equal(await throttle.take('ada', '::1'), undefined);
    assert.equal(await throttle.take('ada', '::1'), undefined);
    const [third, fourth] = [throttle.take('ada', '::1'), throttle.take('ada', '::1')];
    await throttle.settle('ada', '::1', 'failure');
    await throttle.settle('ada', '::1', 'success');
    assert.equal(await third, undefined, 'the success freed a slot');
    assert.equal(await fourth, undefined);
    await throttle.settle('ada', '::1', 'failure');
    await throttle.settle('ada', '::1', 'failure');
    assert.ok(Number(await throttle.take('ada', '::1')) > 0);
    assert.equal(await throttle.take('bob', '::1'), undefined);
    assert.equal(await throttle.take('ada', '192.0.2.1'), undefined);
  });

  it('ignores attempts that failed for other reasons, and starts over after the interval', async (test) => {
    let now = 0;
    test.mock.method(performance, 'now', () => now);
    const throttle = createLoginThrottle({ perUser: 1, interval: 60 });
    for (let n = 0; n < 5; n++) {
      assert.equal(await throttle.take('ada', '::1'), undefined);
      await throttle.settle('ada', '::1', 'unknown');
    }
    await throttle.take('ada', '::1');
    await throttle.settle('ada', '::1', 'failure');
    assert.equal(await throttle.take('ada', '::1'), 60);
    now += 60_000;
    assert.equal(await throttle.take('ada', '::1'), undefined);
  });

  it('leaves no attempt waiting for a name that its bounded store has forgotten', async () => {
    const throttle = createLoginThrottle({ perUser: 1, store: createMemoryExpiringStore({ limit: 4 }) });
    await throttle.take('ada', '192.0.2.1');
    const waiting = throttle.take('ada', '192.0.2.1');
    for (let n = 0; n < 10; n++) await throttle.take(`user ${n}`, `192.0.2.${n + 10}`);
    assert.equal(await waiting, undefined);
  });

  it('treats different spellings as one address or name', async () => {
    const spellings = fc.constantFrom(
      '2001:db8::1',
      '2001:DB8:0:0:1::5',
      '2001:0db8:0000:0000::',
      '2001:db8:0:0:9:9:9:9',
    );
    const names = fc.constantFrom('Ada', 'ada', 'ADA', 'ａｄａ', 'ada ', ' a\tda', 'adá', 'a\u200bda');
    await fc.assert(
      fc.asyncProperty(spellings, spellings, names, names, async (first, second, name, other) => {
        const throttle = createLoginThrottle({ perUser: 1 });
        await throttle.take(name, first);
        await throttle.settle(name, first, 'failure');
        assert.ok(Number(await throttle.take(other, second)) > 0, `${name} ${first} | ${other} ${second}`);
      }),
    );
  });

  it('createLoginThrottle: guesses for one user from ever new networks are refused after 100 an hour', async (test) => {
    let now = 0;
    test.mock.method(performance, 'now', () => now);
    const throttle = createLoginThrottle();
    const guess = async (address: string): Promise<number | undefined> => {
      const wait = await throttle.take('ada', address);
      if (wait === undefined) await throttle.settle('ada', address, 'failure');
      return wait;
    };
    for (let n = 0; n < 100; n++) assert.equal(await guess(`2001:db8:${n}::1`), undefined, String(n));
    assert.equal(await guess('2001:db8:ffff::1'), 3600);
    assert.equal(await throttle.take('bob', '2001:db8:ffff::1'), undefined);
    now += 3_600_000;
    assert.equal(await guess('2001:db8:ffff::1'), undefined);
  });

  it('createLoginThrottle: an address that the user has logged in from is not refused because of other addresses', async () => {
    const throttle = createLoginThrottle({ perAccount: 3 });
    assert.equal(await throttle.take('ada', '2001:db8:1::1'), undefined);
    await throttle.settle('ada', '2001:db8:1::1', 'success');
    for (let n = 0; n < 3; n++) {
      assert.equal(await throttle.take('ada', `192.0.2.${n}`), undefined);
      await throttle.settle('ada', `192.0.2.${n}`, 'failure');
    }
    assert.ok(Number(await throttle.take('ada', '192.0.2.9')) > 0);
    for (let n = 0; n < 4; n++) {
      assert.equal(await throttle.take('ada', '2001:db8:1:0::99'), undefined, 'the same network as before');
      await throttle.settle('ada', '2001:db8:1:0::99', 'failure');
    }
    assert.ok(
      Number(await throttle.take('ada', '192.0.2.9')) > 0,
      'failed attempts do not mark a network as known',
    );
  });

  it("createLoginThrottle: one IPv6 customer's /64 networks are refused together: at four times the limit within a /56, at sixteen times within a /48", async () => {
    const guesses = async (addressOf: (n: number) => string, limit: number): Promise<number> => {
      const throttle = createLoginThrottle({ perAddress: 2, perAccount: 1000 });
      for (let n = 0; n <= limit; n++) {
        if ((await throttle.take(`user ${n}`, addressOf(n))) !== undefined) return n;
        await throttle.settle(`user ${n}`, addressOf(n), 'failure');
      }
      return Infinity;
    };
    const group = (n: number): string => n.toString(16).padStart(2, '0');
    assert.equal(await guesses((n) => `2001:db8::${n}`, 100), 2, 'one /64');
    assert.equal(await guesses((n) => `2001:db8:0:12${group(n)}::1`, 100), 8, 'one /56');
    assert.equal(await guesses((n) => `2001:db8:0:${group(n)}00::1`, 100), 32, 'one /48');
    assert.equal(await guesses((n) => `2001:db8:${n + 1}::1`, 100), Infinity, 'a different /48 each time');
    assert.equal(await guesses((n) => `192.0.2.${n}`, 100), Infinity, 'IPv4 addresses');
  });
});
