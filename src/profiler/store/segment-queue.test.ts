import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { ProfileStore, Segment, StoreTally } from '../model/profile-store.js';
import { SegmentQueue } from './segment-queue.js';

const tally: StoreTally = {
  pruned: { count: 0, age: 0, bytes: 0, purge: 0 },
  lost: 0,
  setAside: null,
  renamed: 0,
  records: 0,
  bytes: 0,
};

let numbers = 0;
function segmentOf(records: number, bytes: number): Segment {
  const first = (numbers += 1000);
  return {
    number: first,
    bucket: 'app',
    keys: Array.from({ length: records }, (_, at) => first + at),
    startedAt: 0,
    closedAt: 0,
    facts: {},
    directory: new Uint8Array(0),
    body: new Uint8Array(bytes),
  };
}

function createStore(outcomes: boolean[]): { store: ProfileStore; stored: Set<number> } {
  const stored = new Set<number>();
  const write = async (segments: readonly Segment[]): Promise<StoreTally> => {
    await Promise.resolve();
    if (outcomes.shift() === false) throw new Error('full');
    for (const { keys } of segments) for (const key of keys) stored.add(key);
    return tally;
  };
  const unused = (): never => assert.fail('the queue only writes');
  const store = {
    lease: unused,
    write,
    find: unused,
    search: unused,
    prune: unused,
    tally: unused,
    close: unused,
  };
  return { store, stored };
}

describe('segments on their way to the store', () => {
  it('are stored, dropped or still here, each record once, whatever fails', async () => {
    const added = fc.array(fc.tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 0, max: 60 })), {
      maxLength: 30,
    });
    await fc.assert(
      fc.asyncProperty(added, fc.array(fc.boolean(), { maxLength: 12 }), async (sizes, outcomes) => {
        const { store, stored } = createStore(outcomes);
        const counts = { written: 0, dropped: 0 };
        const queue = new SegmentQueue(
          store,
          { records: 20, bytes: 200 },
          {
            written: (records) => void (counts.written += records),
            dropped: (records) => void (counts.dropped += records),
            store: () => undefined,
            counts: () => ({ made: 0, dropped: 0, pending: 0 }),
          },
        );
        const segments = sizes.map(([records, bytes]) => segmentOf(records, bytes));
        let made = 0;
        for (const [at, segment] of segments.entries()) {
          queue.add(segment);
          made += segment.keys.length;
          if (at % 3 === 0) await Promise.resolve();
          assert.equal(counts.written + counts.dropped + queue.records, made);
        }
        for (let tries = 0; tries <= 13 && queue.records > 0; tries++) await queue.tryAgain();
        assert.equal(queue.stop(), 0);
        assert.equal(counts.written, stored.size);
        assert.equal(counts.written + counts.dropped, made);
        for (const { keys } of segments)
          for (const key of keys) assert.notEqual(stored.has(key), queue.hasDropped(key), `key ${key}`);
      }),
    );
  });

  it('that wait can be read, newest first, until the store has them', async () => {
    const { store } = createStore([false, true]);
    const events = {
      written: () => undefined,
      dropped: () => undefined,
      store: () => undefined,
      counts: () => ({ made: 0, dropped: 0, pending: 0 }),
    };
    const queue = new SegmentQueue(store, { records: 100, bytes: 1000 }, events);
    const [one, two] = [segmentOf(2, 1), segmentOf(1, 1)];
    queue.add(one);
    queue.add(two);
    await queue.settled();
    assert.deepEqual(queue.segments, [two, one]);
    assert.equal(queue.find(one.keys[1] ?? 0), one);
    await queue.tryAgain();
    assert.deepEqual([queue.records, queue.find(one.keys[0] ?? 0)], [0, undefined]);
    queue.stop();
  });
});
