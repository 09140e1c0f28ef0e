import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { breakdownOf, type CountedSpan, timeCategoryOf } from './time-breakdown.js';

const span = (category: string, startMs: number, durationMs: number, busyMs?: number): CountedSpan => ({
  category,
  startMs,
  durationMs,
  ...(busyMs === undefined ? {} : { busyMs }),
});
const divided = (timeline: readonly CountedSpan[], durationMs = 100): Record<string, number> =>
  breakdownOf({ durationMs, timeline });

describe('what kinds of work the time of a request was spent on', () => {
  it('accounts for no more than the spans cover', () => {
    const nothing = { framework: 0, app: 0, database: 0, http: 0, rendering: 0, unaccounted: 100 };
    assert.deepEqual(divided([]), nothing);
    assert.deepEqual(divided([span('stage', 0, 20)]), { ...nothing, framework: 20, unaccounted: 80 });
  });

  it('takes the time in which the process did not run out of the code that stood still, not out of queries', () => {
    const { app, database, unaccounted } = divided([
      span('controller', 0, 100),
      span('unaccounted', 20, 60, 40),
      span('database', 50, 20),
    ]);
    assert.deepEqual([app, database, unaccounted], [50, 20, 30]);
  });

  it('takes queries, calls and rendering out of the controller that waits for them', () => {
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
      unaccounted: 20,
    });
  });

  it('counts parallel queries once, and of a query beside a call the query', () => {
    assert.equal(divided([span('database', 0, 40), span('database', 10, 40)])['database'], 50);
    const beside = divided([span('http', 0, 30), span('database', 10, 30)]);
    assert.deepEqual([beside['http'], beside['database']], [10, 30]);
  });

  it('gives a stage within a layer of the application back to the framework', () => {
    const { framework, app } = divided([
      span('around', 0, 50),
      span('stage', 10, 10),
      span('controller', 30, 10),
    ]);
    assert.deepEqual([framework, app], [10, 40]);
  });

  it('counts of an entry that stands for several only what they took', () => {
    assert.equal(divided([span('database', 0, 80, 20)])['database'], 20);
  });

  it('adds up to the whole, whatever the spans are', () => {
    const any = fc.record({
      category: fc.constantFrom('stage', 'listener', 'controller', 'around', 'app', 'database', 'http'),
      startMs: fc.double({ min: -50, max: 150, noNaN: true }),
      durationMs: fc.double({ min: 0, max: 200, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(any), fc.double({ min: 0, max: 120, noNaN: true }), (timeline, total) => {
        const shares = Object.values(divided(timeline, total));
        assert.ok(shares.every((ms) => ms >= -1e-9));
        assert.ok(Math.abs(shares.reduce((sum, ms) => sum + ms, 0) - total) < 1e-6);
      }),
    );
  });
});

describe('the categories of spans', () => {
  it('count as the kinds of work that bars show', () => {
    assert.deepEqual(['stage', 'listener', 'controller', 'database', 'own'].map(timeCategoryOf), [
      'framework',
      'framework',
      'app',
      'database',
      'app',
    ]);
    const breakdown = { framework: 1, app: 2, database: 3, http: 4, rendering: 5, unaccounted: 6 };
    assert.equal(breakdownOf({ breakdown }), breakdown);
  });
});
