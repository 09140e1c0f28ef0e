import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { createKeyedMutex } from './session-locks.js';

describe('the queue of a session', () => {
  it('lets one in at a time for each key, in the order in which they came', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ key: fc.constantFrom('a', 'b', 'c'), turns: fc.nat({ max: 3 }) }), {
          maxLength: 20,
        }),
        async (callers) => {
          const queue = createKeyedMutex();
          const inside = new Map<string, number>();
          const order = new Map<string, number[]>();
          await Promise.all(
            callers.map(async ({ key, turns }, index) => {
              const leave = await queue(key);
              assert.equal(inside.get(key) ?? 0, 0, 'nobody else is inside');
              inside.set(key, 1);
              order.set(key, [...(order.get(key) ?? []), index]);
              for (let turn = 0; turn < turns; turn++) await nextTurn();
              inside.set(key, 0);
              leave();
            }),
          );
          for (const indexes of order.values())
            assert.deepEqual(
              indexes,
              indexes.toSorted((a, b) => a - b),
            );
        },
      ),
      { numRuns: 30 },
    );
  });

  it('is free again when the last one has left, whoever left twice', async () => {
    const queue = createKeyedMutex();
    const first = await queue('k');
    const second = queue('k');
    first();
    first();
    const leave = await second;
    let isIn = false;
    const third = queue('k').then((leaveLast) => {
      isIn = true;
      return leaveLast;
    });
    await nextTurn();
    assert.equal(isIn, false, 'the second is still inside');
    leave();
    (await third)();
    (await queue('k'))();
  });

  it('keys do not wait for one another', async () => {
    const queue = createKeyedMutex();
    const leaveA = await queue('a');
    const leaveB = await queue('b');
    leaveB();
    leaveA();
  });
});
