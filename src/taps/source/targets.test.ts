import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { recordTarget, tapEachOnce } from './targets.js';

describe('targets', () => {
  it('are tapped once and given back', () => {
    const target = {};
    const names = { function: 'recordThat', known: 'that' };
    const tapped: object[] = [];
    const tap = (given: object): boolean => tapped.push(given) > 0;
    assert.equal(recordTarget(target, tap, names), target);
    assert.equal(recordTarget(target, tap, names), target);
    assert.deepEqual(tapped, [target]);
    assert.throws(() => recordTarget({}, () => false, names), {
      code: 'TAPS_UNKNOWN_TARGET',
      message: /recordThat.*Object/,
    });
  });

  it('that come on the way are tapped each once', () => {
    const tapped: object[] = [];
    const tap = tapEachOnce((target) => tapped.push(target));
    const [first, second] = [{ first: 1 }, { second: 2 }];
    for (const given of [first, second, first, null, 7]) tap(given);
    assert.deepEqual(tapped, [first, second]);
  });
});
