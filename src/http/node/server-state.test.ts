import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { FlightList, type InFlight } from './server-state.js';

/** The list never looks at more of a request than its own two numbers. */
function request(): InFlight {
  return { place: -1, number: -1 } as InFlight; // nothing else is read of it
}

describe('requests in flight', () => {
  it('are those that were added and not deleted, in the order in which they were added', () => {
    const steps = fc.array(fc.tuple(fc.boolean(), fc.nat(9)), { maxLength: 80 });
    fc.assert(
      fc.property(steps, (given) => {
        const all = Array.from({ length: 10 }, request);
        const list = new FlightList();
        const expected = new Set<InFlight>();
        for (const [isAdded, which] of given) {
          const one = all[which] ?? request();
          if (isAdded) {
            list.add(one);
            expected.add(one);
          } else {
            list.delete(one);
            expected.delete(one);
          }
          assert.equal(list.size, expected.size);
          const found = [...list];
          assert.deepEqual(found.length, expected.size);
          for (const [at, one] of [...expected].entries()) assert.equal(found[at], one);
        }
      }),
    );
  });

  it('can be deleted while they are gone through', () => {
    const list = new FlightList();
    for (let count = 0; count < 5; count++) list.add(request());
    let seen = 0;
    for (const one of list) {
      seen++;
      list.delete(one);
    }
    assert.deepEqual([seen, list.size], [5, 0]);
  });
});
