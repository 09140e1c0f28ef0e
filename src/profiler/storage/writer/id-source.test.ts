import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isRandomId } from '../../encoding/token.js';
import { IdSource } from './id-source.js';

describe('ids of records', () => {
  it('a process that uses them up before more come asks for more at a time, and then needs no random ones', () => {
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
    assert.ok(randomOf(4) > 0, 'it ran out at first');
    assert.equal(randomOf(20), 0);
    assert.ok(Math.max(...asked) <= 65_536, 'asked for too many');
  });

  it('a process whose first requests come before its first ids still asks for few', () => {
    const asked: number[] = [];
    const ids = new IdSource((amount) => asked.push(amount));
    for (let request = 0; request < 100; request++) assert.ok(isRandomId(ids.next().id));
    ids.add(0, 1024);
    for (let request = 0; request < 600; request++) assert.ok(!isRandomId(ids.next().id));
    assert.deepEqual(asked, [1024, 1024]);
  });
});
