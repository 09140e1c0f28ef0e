import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Lease } from '../../model/profile-store.js';
import { createTokenCodec } from './token-codec.js';
import { TokenSource } from './token-source.js';

type Answer = 'now' | 'later' | 'refused' | 'thrown';

describe('a source of tokens', () => {
  it('never gives a number or a token twice, however the store answers, and keeps to its leases', async () => {
    const answers = fc.array(fc.constantFrom<Answer>('now', 'later', 'refused', 'thrown'), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(answers, fc.integer({ min: 1, max: 700 }), async (plan, count) => {
        const leased: Lease[] = [];
        let next = 0;
        let failures = 0;
        const ask = (amount: number): Lease | Promise<Lease> => {
          const answer = plan.shift() ?? 'now';
          if (answer === 'thrown') throw new Error('refused');
          if (answer === 'refused') return Promise.reject(new Error('refused'));
          const lease = { secret: 'secret', from: next, to: (next += amount) };
          leased.push(lease);
          return answer === 'now' ? lease : Promise.resolve(lease);
        };
        const source = new TokenSource(ask, () => failures++);
        source.start();
        const given = [];
        for (let at = 0; at < count; at++) {
          given.push(source.next());
          if (at % 50 === 0) await Promise.resolve();
        }
        await source.ready();
        assert.equal(new Set(given.map(({ key }) => key)).size, count);
        assert.equal(new Set(given.map(({ token }) => token)).size, count);
        for (const { key } of given)
          assert.ok(key < 0 || leased.some(({ from, to }) => key >= from && key < to), `key ${key}`);
        assert.equal(failures > 0 || leased.length > 0, true);
      }),
      { numRuns: 40 },
    );
  });
});

describe('blocks of numbers', () => {
  it('grow while they are used up at once', () => {
    const asked: number[] = [];
    let from = 0;
    const source = new TokenSource(
      (amount) => {
        asked.push(amount);
        const lease = { secret: 's', from, to: from + amount };
        from += amount;
        return lease;
      },
      (error) => assert.fail(String(error)),
    );
    const keys = Array.from({ length: 5000 }, () => source.next().key);
    assert.deepEqual(
      keys,
      keys.map((_, at) => at),
    );
    assert.ok((asked.at(-1) ?? 0) > (asked[0] ?? 0), asked.join(' '));
    assert.ok(asked.every((amount) => amount >= 256 && amount <= 65_536));
  });

  it('of another store bring another secret', () => {
    const secrets = ['one', 'two'];
    let from = 0;
    const source = new TokenSource(
      (amount) => ({
        secret: secrets[Math.min(1, from)] ?? '',
        from: from++ * 1_000_000,
        to: from * 1_000_000 - 1_000_000 + amount,
      }),
      () => {},
    );
    source.start();
    const { codec } = source;
    const first = source.next();
    assert.equal(codec.keyOf(first.token), first.key);
    for (let count = 0; count < 300; count++) source.next();
    const later = source.next();
    assert.equal(createTokenCodec('two').keyOf(later.token), later.key);
  });

  it('that never come leave whoever is ready to go on', async () => {
    const failures: unknown[] = [];
    const source = new TokenSource(
      () => Promise.reject(new Error('away')),
      (error) => failures.push(error),
    );
    await source.ready();
    assert.equal(failures.length, 1);
    assert.ok(source.next().key < 0);
    source.start();
    assert.equal(failures.length, 1); // asked once, and not again at once
  });
});
