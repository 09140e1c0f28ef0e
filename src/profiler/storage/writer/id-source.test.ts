import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isRandomId } from '../../encoding/token.js';
import { IdSource } from './id-source.js';

describe('record ids', () => {
  it('that run out before more arrive are reserved in larger amounts, so that no random ones are needed later', () => {
    const asked: number[] = [];
    let last = 0;
    const ids = new IdSource((amount) => asked.push(amount));
    const arrive = (): void => {
      const amount = asked.at(-1) ?? 0;
      ids.add(last, (last += amount));
    };
    /** Each reservation takes as long as 3,000 requests. */
    const randomOf = (rounds: number): number => {
      let random = 0;
      for (let round = 0; round < rounds; round++) {
        for (let request = 0; request < 3000; request++) if (isRandomId(ids.next().id)) random++;
        arrive();
      }
      return random;
    };
    ids.ask();
    arrive();
    assert.ok(randomOf(4) > 0, 'the reserved ids run out at first');
    assert.equal(randomOf(20), 0);
    assert.ok(Math.max(...asked) <= 65_536, 'reservations are bounded');
  });

  it('are reserved in small amounts even if the first requests come before the first ids', () => {
    const asked: number[] = [];
    const ids = new IdSource((amount) => asked.push(amount));
    for (let request = 0; request < 100; request++) assert.ok(isRandomId(ids.next().id));
    ids.add(0, 1024);
    for (let request = 0; request < 600; request++) assert.ok(!isRandomId(ids.next().id));
    assert.deepEqual(asked, [1024, 1024]);
  });
});
