import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { ProfileStore, Segment, StoreTally } from '../model/profile-store.js';
import { SegmentQueue, type SegmentQueueLimits } from './segment-queue.js';

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

function segment(number: number, records = 1, bytes = 10): Segment {
  return {
    number,
    bucket: 'app',
    keys: Array.from({ length: records }, (_, at) => number * 1000 + at),
    startedAt: 0,
    closedAt: 0,
    facts: {},
    directory: new Uint8Array(bytes),
    body: new Uint8Array(),
  };
}

const emptyTally = { setAside: null, records: 0, bytes: 0 } as never as StoreTally;

// of which nothing is read here

/** A queue, and what it said. */
function queueWith(
  write: (segments: readonly Segment[]) => Promise<StoreTally> | StoreTally,
  limits: Partial<SegmentQueueLimits> = {},
): { queue: SegmentQueue; said: string[] } {
  const said: string[] = [];
  const store = { write: async (segments: readonly Segment[]) => write(segments) } as never as ProfileStore; // all that it needs
  const queue = new SegmentQueue(
    store,
    { records: 100, bytes: 1000, ...limits },
    {
      written: (records) => said.push(`written ${records}`),
      dropped: (records) => said.push(`dropped ${records}`),
      store: (error) => said.push(error === undefined ? 'works' : 'fails'),
      counts: (writing) => ({ made: writing, stored: 0, dropped: 0 }) as never, // passed on as it is
    },
  );
  return { queue, said };
}

describe('segments that wait for their store', () => {
  it('are dropped beyond the bound of records or of bytes, the oldest first, and remembered', async () => {
    for (const limits of [{ records: 3 }, { bytes: 30 }]) {
      let release = (): void => {};
      const { queue, said } = queueWith(
        () => new Promise((resolve) => (release = () => resolve(emptyTally))),
        limits,
      );
      for (let number = 1; number <= 5; number++) queue.add(segment(number));
      assert.deepEqual(said, ['dropped 1', 'dropped 1']);
      assert.deepEqual(
        queue.segments.map(({ number }) => number),
        [5, 4, 1],
      );
      assert.deepEqual(
        [queue.hasDropped(2000), queue.hasDropped(3000), queue.hasDropped(1000)],
        [true, true, false],
      );
      assert.deepEqual([queue.find(4000)?.number, queue.find(2000)], [4, undefined]);
      assert.equal(queue.records, 3);
      release();
      await new Promise(setImmediate);
      release();
      await queue.settled();
      assert.deepEqual([queue.records, queue.segments], [0, []]);
      assert.deepEqual(said.slice(2), ['written 1', 'works', 'written 2', 'works']);
    }
  });

  it('keep a single one that is larger than the bound', () => {
    const { queue, said } = queueWith(() => new Promise(() => {}), { records: 2 });
    queue.add(segment(1, 1));
    queue.add(segment(2, 50));
    assert.deepEqual([queue.records, said], [51, []]);
    queue.add(segment(3, 1));
    assert.deepEqual([queue.records, said], [2, ['dropped 50']]);
  });

  it('are written sixteen at a time, in order', async () => {
    const written: number[][] = [];
    const { queue } = queueWith((segments) => {
      written.push(segments.map(({ number }) => number));
      return emptyTally;
    });
    for (let number = 1; number <= 20; number++) queue.add(segment(number));
    await queue.settled();
    assert.deepEqual(
      written.map((batch) => batch.length),
      [1, 16, 3],
    );
    assert.deepEqual(
      written.flat(),
      Array.from({ length: 20 }, (_, at) => at + 1),
    );
  });

  it('wait while the store fails, and are written once when it works', async () => {
    let isBroken = true;
    const written: number[] = [];
    const { queue, said } = queueWith((segments) => {
      if (isBroken) throw new Error('away');
      written.push(...segments.map(({ number }) => number));
      return emptyTally;
    });
    queue.add(segment(1));
    await queue.settled();
    queue.add(segment(2));
    await queue.settled(); // at once: it fails, and no one waits for that
    assert.deepEqual([queue.records, said], [2, ['fails']]);
    await queue.tryAgain();
    assert.deepEqual(said, ['fails', 'fails']);
    isBroken = false;
    await queue.tryAgain();
    assert.deepEqual([written, queue.records, said.slice(2)], [[1, 2], 0, ['written 2', 'works']]);
  });

  it('are counted when no more is tried', async () => {
    const { queue } = queueWith(() => Promise.reject(new Error('away')));
    queue.add(segment(1, 3));
    queue.add(segment(2, 4));
    await queue.settled();
    assert.equal(queue.stop(), 7);
  });
});
