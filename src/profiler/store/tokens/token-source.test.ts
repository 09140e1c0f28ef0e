import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Lease } from '../../model/profile-store.js';
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
