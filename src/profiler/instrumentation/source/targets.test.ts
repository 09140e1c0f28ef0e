import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { recordTarget, instrumentEachOnce } from './targets.js';

describe('instrumentation targets', () => {
  it('are instrumented once and returned', () => {
    const target = {};
    const names = { function: 'recordThat', known: 'that' };
    const instrumented: object[] = [];
    const instrumentation = (given: object): boolean => instrumented.push(given) > 0;
    assert.equal(recordTarget(target, instrumentation, names), target);
    assert.equal(recordTarget(target, instrumentation, names), target);
    assert.deepEqual(instrumented, [target]);
    assert.throws(() => recordTarget({}, () => false, names), {
      code: 'INSTRUMENTATION_UNKNOWN_TARGET',
      message: /recordThat.*Object/,
    });
    const address: unknown = 'postgres://me:c4n4ry@db/shop';
    assert.throws(() => recordTarget(address as object, () => true, names), {
      message: 'recordThat does not support its argument: a string.',
    });
  });

  it('that appear later are instrumented once each', () => {
    const instrumented: object[] = [];
    const instrumentation = instrumentEachOnce((target) => instrumented.push(target));
    const [first, second] = [{ first: 1 }, { second: 2 }];
    for (const given of [first, second, first, null, 7]) instrumentation(given);
    assert.deepEqual(instrumented, [first, second]);
  });
});
