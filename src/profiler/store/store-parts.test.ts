import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isCodedError } from '#coded-error';
import type { ProfileStore, Segment, StoreTally } from '../model/profile-store.js';
import type { StoreState } from '../model/profiler-state.js';
import { storeErrors } from './policy/error-codes.js';
import { byReason, isPruneReason, noneOfAnyReason } from './policy/retention.js';
import { within } from './policy/within.js';
import { SegmentQueue, type SegmentQueueLimits } from './segment-queue.js';
import { StoreNotifier } from './store-notifier.js';
import { StoreWatch } from './store-watch.js';
import { packKeys, unpackKeys } from './tokens/key-list.js';
import { TakenKeys } from './tokens/taken-keys.js';
import { toRanges } from './tokens/to-ranges.js';
import { createTokenCodec, randomKey } from './tokens/token-codec.js';
import { TokenSource } from './tokens/token-source.js';

describe('tokens', () => {
  const widths = [
    [0, 2 ** 24, 6],
    [2 ** 24, 2 ** 24 + 2 ** 32, 8],
    [2 ** 24 + 2 ** 32, 2 ** 24 + 2 ** 32 + 2 ** 40, 10],
  ] as const;

  it('lead back to their numbers, under any secret, also at the edges of each width', () => {
    const key = fc.oneof(
      ...widths.map(([from, to]) => fc.integer({ min: from, max: to - 1 })),
      fc.constantFrom(...widths.flatMap(([from, to]) => [from, from + 1, to - 1])),
    );
    fc.assert(
      fc.property(fc.string(), fc.array(key, { minLength: 1, maxLength: 20 }), (secret, keys) => {
        const { tokenOf, keyOf } = createTokenCodec(secret);
        for (const one of keys) {
          const token = tokenOf(one);
          const [, , digits] = widths.find(([from, to]) => one >= from && one < to) ?? [];
          assert.match(token, /^[0-9a-f]+$/);
          assert.equal(token.length, digits);
          assert.equal(keyOf(token), one);
        }
        assert.equal(new Set(keys.map(tokenOf)).size, new Set(keys).size);
      }),
      { numRuns: 5 },
    );
  });

  it('of random keys have twelve digits and no secret', () => {
    for (let count = 0; count < 200; count++) {
      const key = randomKey();
      const token = createTokenCodec('a').tokenOf(key);
      assert.ok(key < 0 && Number.isSafeInteger(key));
      assert.match(token, /^[0-9a-f]{12}$/);
      assert.equal(createTokenCodec('b').keyOf(token), key);
    }
  });

  it('of another length are none', () => {
    const { keyOf } = createTokenCodec('a');
    for (const token of ['', 'abc', 'abcde', 'abcdef0', 'abcdef012', 'abcdef01234', 'abcdef0123456'])
      assert.equal(keyOf(token), undefined, token);
  });
});

describe('blocks of numbers', () => {
  it('are asked for larger while they are used up at once', () => {
    const asked: number[] = [];
    let from = 0;
    const source = new TokenSource(
      (amount) => {
        asked.push(amount);
        const lease = { secret: 's', from, to: from + amount };
        from += amount;
        return lease;
      },
      (error) => assert.fail(String(error)),
    );
    const keys = Array.from({ length: 5000 }, () => source.next().key);
    assert.deepEqual(
      keys,
      keys.map((_, at) => at),
    );
    assert.ok((asked.at(-1) ?? 0) > (asked[0] ?? 0), asked.join(' '));
    assert.ok(asked.every((amount) => amount >= 256 && amount <= 65_536));
  });

  it('of another store bring another secret', () => {
    const secrets = ['one', 'two'];
    let from = 0;
    const source = new TokenSource(
      (amount) => ({
        secret: secrets[Math.min(1, from)] ?? '',
        from: from++ * 1_000_000,
        to: from * 1_000_000 - 1_000_000 + amount,
      }),
      () => {},
    );
    source.start();
    const { codec } = source;
    const first = source.next();
    assert.equal(codec.keyOf(first.token), first.key);
    for (let count = 0; count < 300; count++) source.next();
    const later = source.next();
    assert.equal(createTokenCodec('two').keyOf(later.token), later.key);
  });

  it('that never come leave whoever is ready to go on', async () => {
    const failures: unknown[] = [];
    const source = new TokenSource(
      () => Promise.reject(new Error('away')),
      (error) => failures.push(error),
    );
    await source.ready();
    assert.equal(failures.length, 1);
    assert.ok(source.next().key < 0);
    source.start();
    assert.equal(failures.length, 1); // asked once, and not again at once
  });
});

describe('ranges of keys', () => {
  it('hold the keys and no other, in order, none touching the next', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -40, max: 40 }), { maxLength: 30 }), (keys) => {
        const ranges = toRanges(keys);
        const inside = ranges.flatMap(({ start, end }) =>
          Array.from({ length: end - start }, (_, at) => start + at),
        );
        assert.deepEqual(
          inside,
          [...new Set(keys)].toSorted((a, b) => a - b),
        );
        for (const [at, { start, end }] of ranges.entries()) {
          assert.ok(end > start);
          assert.ok(at === 0 || start > (ranges[at - 1]?.end ?? start));
        }
      }),
    );
  });

  it('of any keys are bytes and back', () => {
    const key = fc.oneof(
      fc.integer(),
      fc.maxSafeNat().map((n) => Math.floor(n / 4)),
      fc.nat(2 ** 47).map((n) => -1 - n),
    );
    fc.assert(
      fc.property(fc.array(key, { maxLength: 40 }), (keys) => {
        const bytes = packKeys(keys);
        assert.deepEqual(unpackKeys(bytes), keys);
        for (let end = 0; end < bytes.length; end++)
          assert.throws(() => unpackKeys(bytes.subarray(0, end)), RangeError);
      }),
    );
  });

  it('that are taken are replaced by fresh ones, each once', () => {
    const keys = new TakenKeys((key) => key === 5);
    const [first, second, third] = keys.replace([4, 5, 4]);
    assert.deepEqual([first, keys.renamed], [4, 2]);
    assert.ok((second ?? 0) < 0 && (third ?? 0) < 0 && second !== third);
    assert.deepEqual([keys.replace([6]), keys.renamed], [[6], 2]);
    assert.ok((keys.replace([6])[0] ?? 0) < 0);
  });
});

describe('reasons for which records go', () => {
  it('are four, each with something of its own', () => {
    assert.deepEqual(
      byReason((reason) => reason.toUpperCase()),
      {
        count: 'COUNT',
        age: 'AGE',
        bytes: 'BYTES',
        purge: 'PURGE',
      },
    );
    assert.deepEqual(noneOfAnyReason(), { count: 0, age: 0, bytes: 0, purge: 0 });
    assert.notEqual(noneOfAnyReason(), noneOfAnyReason());
    for (const value of ['pruned', 'toString', '', null, 1]) assert.equal(isPruneReason(value), false);
    assert.equal(isPruneReason('age'), true);
  });
});

describe('waiting within a time', () => {
  it('ends with the work, whatever becomes of it, or with the time', async () => {
    await within(60_000, Promise.resolve());
    await within(60_000, Promise.reject(new Error('broken')));
    await within(0, new Promise(() => {}));
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

const tally = { setAside: null, records: 0, bytes: 0 } as never as StoreTally; // of which nothing is read here

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
        () => new Promise((resolve) => (release = () => resolve(tally))),
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

  it('keep one that is larger than the bound by itself', () => {
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
      return tally;
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
      return tally;
    });
    queue.add(segment(1));
    await queue.settled();
    queue.add(segment(2));
    await queue.settled(); // at once: it fails, and nobody waits for that
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

describe('what is known of the store', () => {
  const watched = (): { watch: StoreWatch; states: StoreState[] } => {
    const states: StoreState[] = [];
    return { watch: new StoreWatch('sqlite:x', (state) => states.push(state)), states };
  };

  it('is said once for each change, with the code and the fix', () => {
    const { watch, states } = watched();
    const away = storeErrors.create('PROFILER_STORE_AWAY', { path: 'x', reason: 'refused' });
    watch.note(undefined);
    watch.note(away);
    watch.note(storeErrors.create('PROFILER_STORE_AWAY', { path: 'x', reason: 'timed out' }));
    watch.note(new Error('with a secret in it'));
    watch.note(undefined);
    watch.note(undefined);
    assert.deepEqual(
      states.map(({ status, code }) => [status, code]),
      [
        ['failing', 'PROFILER_STORE_AWAY'],
        ['failing', 'PROFILER_STORE_FAILED'],
        ['ready', null],
      ],
    );
    assert.equal(states[0]?.message, `${away.message} ${away.fix}`);
    assert.equal(states[1]?.message, 'The store failed.');
    assert.deepEqual([watch.state().store, watch.state().records], ['sqlite:x', null]);
  });

  it('says nothing after the end, and of each file that was set aside once', () => {
    const { watch, states } = watched();
    watch.noteAside('/a/x.damaged');
    watch.noteAside('/a/x.damaged');
    watch.noteAside(null);
    assert.deepEqual(
      states.map(({ setAside }) => setAside),
      ['/a/x.damaged'],
    );
    watch.close();
    watch.note(new Error('late'));
    assert.deepEqual([states.length, watch.state().status], [1, 'closed']);
  });

  it('is said to a listener that throws without harm', () => {
    const watch = new StoreWatch('memory:', () => {
      throw new Error('listener');
    });
    watch.note(new Error('away'));
    assert.equal(watch.state().status, 'failing');
  });
});

describe('who follows what is stored', () => {
  it('is woken by the store and by this process, while it listens', () => {
    let wakeAll: (() => void) | undefined;
    let stopped = 0;
    const store: Pick<ProfileStore, 'onNews'> = {
      onNews(wake) {
        wakeAll = wake;
        return () => void stopped++;
      },
    };
    const notifier = new StoreNotifier(store);
    const woken: string[] = [];
    notifier.notify();
    const [leaveFirst, leaveSecond] = ['first', 'second'].map((name) =>
      notifier.listen(() => void woken.push(name)),
    );
    wakeAll?.();
    assert.deepEqual(woken, ['first', 'second']);
    leaveFirst?.();
    leaveFirst?.();
    notifier.notify();
    assert.deepEqual([woken, stopped], [['first', 'second', 'second'], 0]);
    leaveSecond?.();
    assert.equal(stopped, 1);
    notifier.listen(() => void woken.push('third'))();
    assert.equal(stopped, 2);
  });

  it('hears each call of its own, also of one function twice', () => {
    const notifier = new StoreNotifier({ onNews: () => () => {} });
    let woken = 0;
    const wake = (): void => void woken++;
    const leave = [notifier.listen(wake), notifier.listen(wake)];
    notifier.notify();
    assert.equal(woken, 2);
    leave[0]?.();
    notifier.notify();
    assert.equal(woken, 3);
    leave[1]?.();
  });
});

describe('errors of stores', () => {
  it('each have a code and a fix', () => {
    const error = storeErrors.create('PROFILER_STORE_CLIENT', { name: 'pg' });
    assert.ok(isCodedError(error));
    assert.match(error.fix ?? '', /npm install pg/);
  });
});
