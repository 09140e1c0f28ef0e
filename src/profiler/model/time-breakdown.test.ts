import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { KnownTimes } from './time-use.js';
import { breakdownOf, type CountedSpan, timeCategoryOf } from './time-breakdown.js';

const span = (category: string, startMs: number, durationMs: number, busyMs?: number): CountedSpan => ({
  category,
  startMs,
  durationMs,
  ...(busyMs === undefined ? {} : { busyMs }),
});
const divided = (timeline: readonly CountedSpan[], durationMs = 100): Record<string, number> =>
  breakdownOf({ durationMs, timeline });

const dividedWith = (
  loop: KnownTimes,
  timeline: readonly CountedSpan[],
  durationMs = 100,
): Record<string, number> => breakdownOf({ durationMs, timeline, sections: { loop } });
const rounded = (ms = NaN): number => Math.round(ms * 10) / 10;

describe("a request's time breakdown", () => {
  it('accounts for no more than the spans cover', () => {
    const nothing = {
      framework: 0,
      app: 0,
      database: 0,
      http: 0,
      rendering: 0,
      profiler: 0,
      waiting: 0,
      busy: 0,
      unaccounted: 100,
    };
    assert.deepEqual(divided([]), nothing);
    assert.deepEqual(divided([span('stage', 0, 20)]), { ...nothing, framework: 20, unaccounted: 80 });
  });

  it('deducts machine time from all parts in proportion, without reducing any to zero', () => {
    const timeline = [span('controller', 0, 50), span('database', 50, 50)];
    const stops = [{ startMs: 0, durationMs: 100, ms: 80 }];
    const { app, database, busy } = dividedWith({ stops }, timeline);
    assert.deepEqual([app, database, busy].map(rounded), [10, 10, 80]);
    const whole = dividedWith(
      { stops: [{ startMs: 0, durationMs: 456, ms: 375 }] },
      [span('controller', 0, 138)],
      456,
    );
    assert.deepEqual([whole['app'], whole['busy'], whole['unaccounted']].map(rounded), [24.5, 375, 56.5]);
  });

  it('distinguishes code that runs from code that waits, and both from unknown time', () => {
    const timeline = [span('stage', 0, 2), span('controller', 2, 90), span('database', 60, 10)];
    const runs = [
      { startMs: 0, durationMs: 12, ms: 12 },
      { startMs: 50, durationMs: 20, ms: 20 },
    ];
    const outside = [{ startMs: 80, durationMs: 5, ms: 5 }];
    const { framework, app, database, waiting, unaccounted, profiler } = dividedWith(
      { runs, outside, own: [{ startMs: 52, durationMs: 4, ms: 4 }] },
      timeline,
    );
    assert.deepEqual(
      [framework, app, database, waiting, unaccounted, profiler].map(rounded),
      [2, 16, 10, 63, 5, 4],
    );
  });

  it("counts code outside of every step as the application's, unless the framework has steps", () => {
    const runs = [{ startMs: 0, durationMs: 30, ms: 30 }];
    assert.deepEqual(dividedWith({ runs }, [])['app'], 30);
    const { framework, unaccounted } = dividedWith({ runs }, [span('stage', 0, 10)]);
    assert.deepEqual([framework, unaccounted], [10, 20]);
  });

  it('separates queries, calls and rendering from the controller that waits for them', () => {
    const timeline = [
      span('controller', 10, 80),
      span('database', 20, 30),
      span('http', 60, 5),
      span('rendering', 70, 10),
    ];
    assert.deepEqual(divided(timeline), {
      framework: 0,
      app: 35,
      database: 30,
      http: 5,
      rendering: 10,
      profiler: 0,
      waiting: 0,
      busy: 0,
      unaccounted: 20,
    });
  });

  it('counts parallel queries once, and prefers a query to a concurrent call', () => {
    assert.equal(divided([span('database', 0, 40), span('database', 10, 40)])['database'], 50);
    const beside = divided([span('http', 0, 30), span('database', 10, 30)]);
    assert.deepEqual([beside['http'], beside['database']], [10, 30]);
  });

  it('attributes a stage within an application layer to the framework', () => {
    const { framework, app } = divided([
      span('around', 0, 50),
      span('stage', 10, 10),
      span('controller', 30, 10),
    ]);
    assert.deepEqual([framework, app], [10, 40]);
  });

  it("only counts a combined entry's busy time", () => {
    assert.equal(divided([span('database', 0, 80, 20)])['database'], 20);
  });

  it('adds up to the whole, for any spans', () => {
    const any = fc.record({
      category: fc.constantFrom('stage', 'listener', 'controller', 'around', 'app', 'database', 'http'),
      startMs: fc.double({ min: -50, max: 150, noNaN: true }),
      durationMs: fc.double({ min: 0, max: 200, noNaN: true }),
    });
    const counted = fc.record({
      startMs: fc.double({ min: 0, max: 150, noNaN: true }),
      durationMs: fc.double({ min: 0, max: 100, noNaN: true }),
      ms: fc.double({ min: 0, max: 100, noNaN: true }),
    });
    fc.assert(
      fc.property(
        fc.array(any),
        fc.array(counted),
        fc.double({ min: 0, max: 120, noNaN: true }),
        (timeline, times, total) => {
          const known = {
            runs: times,
            outside: times.slice(1),
            own: times.slice(2),
            stops: times.slice(0, 1),
          };
          const shares = Object.values(dividedWith(known, timeline, total));
          assert.ok(shares.every((ms) => ms >= -1e-9));
          assert.ok(Math.abs(shares.reduce((sum, ms) => sum + ms, 0) - total) < 1e-6);
        },
      ),
    );
  });
});

describe('span categories', () => {
  it('map to the kinds of work shown by bars', () => {
    assert.deepEqual(['stage', 'listener', 'controller', 'database', 'own'].map(timeCategoryOf), [
      'framework',
      'framework',
      'app',
      'database',
      'app',
    ]);
    const breakdown = {
      framework: 1,
      app: 2,
      database: 3,
      http: 4,
      rendering: 5,
      profiler: 0,
      waiting: 0,
      busy: 0,
      unaccounted: 6,
    };
    assert.equal(breakdownOf({ breakdown }), breakdown);
  });
});
