import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Batch } from '../../recording/batch-buffer.js';
import { WaitingBatches, type WaitingBatch } from './waiting-batches.js';

interface Given {
  readonly arrival: number;
  readonly records?: number;
  readonly bytes?: number;
  readonly origin?: 'app' | 'profiler';
  readonly isNotable?: boolean;
  readonly isUrgent?: boolean;
}

function waiting({
  arrival,
  records = 1,
  bytes = 10,
  origin = 'app',
  isNotable = false,
  isUrgent = false,
}: Given): WaitingBatch {
  const data = { buffer: { byteLength: bytes } };
  const batch = { origin, records, data, isNotable: isNotable || isUrgent, isUrgent };
  return { batch: batch as unknown as Batch, source: {} as WaitingBatch['source'], arrival }; // the part that is read
}

interface Bench {
  readonly batches: WaitingBatches;
  readonly removed: (readonly [arrival: number, removal: string])[];
}

function benchOf(given: readonly Given[], retention = { records: 1000, profilerRecords: 1000 }): Bench {
  const removed: (readonly [number, string])[] = [];
  const batches = new WaitingBatches(retention, ({ arrival }, removal) => removed.push([arrival, removal]));
  for (const one of given) batches.add(waiting(one));
  return { batches, removed };
}

const take = (batches: WaitingBatches, isAsked = false): readonly number[] =>
  batches.take({ isAsked }).map(({ arrival }) => arrival);

describe('waiting batches', () => {
  it('are taken individually, oldest first, but notable ones before, all together', () => {
    const { batches } = benchOf([
      { arrival: 1 },
      { arrival: 2 },
      { arrival: 3, isNotable: true },
      { arrival: 4, isUrgent: true },
      { arrival: 5 },
    ]);
    assert.deepEqual([batches.count, batches.firstArrival, batches.hasUrgent], [5, 1, true]);
    assert.deepEqual(take(batches), [3, 4]);
    assert.deepEqual([batches.count, batches.hasUrgent], [3, false]);
    assert.deepEqual([take(batches), take(batches), batches.firstArrival], [[1], [2], 5]);
    assert.deepEqual(
      [take(batches), take(batches), batches.firstArrival, batches.count],
      [[5], [], Infinity, 0],
    );
  });

  it('are taken together if a reader waits for all, up to 64 records of each queue, and at least one batch', () => {
    const { batches } = benchOf([
      { arrival: 1, records: 32 },
      { arrival: 2, records: 32 },
      { arrival: 3, records: 1 },
      { arrival: 4, records: 70, isNotable: true },
      { arrival: 5, records: 1, isNotable: true },
    ]);
    assert.deepEqual(take(batches, true), [4, 1, 2]);
    assert.deepEqual(take(batches, true), [5, 3]);
  });

  it('are put back in arrival order', () => {
    const { batches } = benchOf([{ arrival: 1 }, { arrival: 2, isUrgent: true }, { arrival: 3 }]);
    const taken = batches.take({ isAsked: false });
    batches.add(waiting({ arrival: 4 }));
    batches.putBack(taken);
    assert.deepEqual(
      batches.latestFirst.map(({ arrival }) => arrival),
      [4, 3, 2, 1],
    );
    assert.deepEqual([batches.hasUrgent, batches.count], [true, 4]);
    assert.deepEqual(take(batches), [2]);
  });

  it('that the retention would not keep are removed, ordinary ones first, with a limit per origin', () => {
    const { removed, batches } = benchOf(
      [
        { arrival: 1, records: 2, isNotable: true },
        { arrival: 2, records: 2 },
        { arrival: 3, records: 2, origin: 'profiler' },
        { arrival: 4, records: 2, origin: 'profiler' },
        { arrival: 5, records: 2 },
        { arrival: 6, records: 1 },
        { arrival: 7, records: 1 },
        { arrival: 8, records: 4 },
      ],
      { records: 4, profilerRecords: 2 },
    );
    assert.deepEqual(
      removed,
      [3, 2, 5, 6, 7].map((arrival) => [arrival, 'pruned']),
    );
    assert.deepEqual(batches.records, { app: 6, profiler: 2 });
  });

  it('stay if fewer records than the retention keeps would remain', () => {
    const { removed } = benchOf(
      [
        { arrival: 1, records: 3 },
        { arrival: 2, records: 3 },
      ],
      { records: 4, profilerRecords: 1 },
    );
    assert.deepEqual(removed, []);
    const exact = benchOf(
      [
        { arrival: 1, records: 3 },
        { arrival: 2, records: 4 },
      ],
      { records: 4, profilerRecords: 1 },
    );
    assert.deepEqual(exact.removed, [[1, 'pruned']]);
  });

  it('are dropped beyond 28 MiB, oldest ordinary ones first, from any origin', () => {
    const mebibyte = 1024 * 1024;
    const given = [
      { arrival: 1, bytes: 10 * mebibyte, isNotable: true },
      { arrival: 2, bytes: 10 * mebibyte, origin: 'profiler' as const },
      { arrival: 3, bytes: 8 * mebibyte },
    ];
    assert.deepEqual(benchOf(given).removed, []);
    assert.deepEqual(benchOf([...given, { arrival: 4, bytes: 1 }]).removed, [[2, 'dropped']]);
    const all = benchOf([...given, { arrival: 4, bytes: 29 * mebibyte }]);
    assert.deepEqual(all.removed, [
      [2, 'dropped'],
      [3, 'dropped'],
      [4, 'dropped'],
    ]);
    assert.equal(all.batches.count, 1);
  });

  it('are each taken, removed or still there, whatever the order of events', () => {
    const one = fc.record({
      records: fc.integer({ min: 1, max: 40 }),
      origin: fc.constantFrom('app' as const, 'profiler' as const),
      isNotable: fc.boolean(),
      isUrgent: fc.boolean(),
      next: fc.constantFrom('take', 'ask', 'put back', 'nothing'),
    });
    fc.assert(
      fc.property(fc.array(one, { maxLength: 30 }), (steps) => {
        const { batches, removed } = benchOf([], { records: 60, profilerRecords: 20 });
        const gone: number[] = [];
        let records = 0;
        for (const [arrival, { next, ...step }] of steps.entries()) {
          batches.add(waiting({ arrival, ...step }));
          const taken = next === 'nothing' ? [] : batches.take({ isAsked: next === 'ask' });
          if (next === 'put back') batches.putBack(taken);
          else gone.push(...taken.map((each) => each.arrival));
        }
        const left = batches.latestFirst.map((each) => each.arrival).toReversed();
        assert.deepEqual(
          left,
          left.toSorted((a, b) => a - b),
        );
        const all = [...gone, ...removed.map(([arrival]) => arrival), ...left];
        assert.deepEqual(
          all.toSorted((a, b) => a - b),
          steps.map((_, at) => at),
        );
        for (const each of batches.latestFirst) records += each.batch.records;
        assert.equal(batches.count, records);
      }),
    );
  });
});
