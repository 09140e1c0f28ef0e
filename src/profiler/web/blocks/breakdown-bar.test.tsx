import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { renderFragment } from '#html';
import { timeCategories, type TimeBreakdown } from '../../model/time-breakdown.js';
import { BreakdownBar, BreakdownFigures, barLength } from './breakdown-bar.js';

const none: TimeBreakdown = { framework: 0, app: 0, database: 0, http: 0, rendering: 0 };
const anyMs = fc.double({ min: 0, max: 1e7, noNaN: true });
const anyBreakdown = fc.record({
  framework: anyMs,
  app: anyMs,
  database: anyMs,
  http: anyMs,
  rendering: anyMs,
});

/** The parts of a bar: from where to where. */
function partsOf(
  breakdown: TimeBreakdown,
  length?: number,
): readonly (readonly [from: number, width: number])[] {
  const html = String(
    renderFragment(<BreakdownBar breakdown={breakdown} {...(length === undefined ? {} : { length })} />),
  );
  return [...html.matchAll(/d="M([\d.e+-]+) 0h([\d.e+-]+)v6H/g)].map(([, from, width]) => [
    Number(from),
    Number(width),
  ]);
}

describe('the bar of a request’s time', () => {
  it('has its parts beside each other, within its room', () => {
    fc.assert(
      fc.property(anyBreakdown, fc.double({ min: -1, max: 2, noNaN: true }), (breakdown, length) => {
        let end = 0;
        for (const [from, width] of partsOf(breakdown, length)) {
          assert.ok(from >= end - 0.11, `${from} begins before ${end}`);
          end = from + width;
        }
        assert.ok(end <= 100 * Math.min(Math.max(length, 0.02), 1) + 0.2, String(end));
      }),
    );
  });

  it('is empty without time, and leaves out what would be too small to see', () => {
    assert.deepEqual(partsOf(none), []);
    assert.deepEqual(partsOf({ ...none, app: 1 }), [[0, 100]]);
    assert.deepEqual(partsOf({ ...none, app: 1000, database: 1 }), [[0, 99.9]]);
  });

  it('is the longer the longer the request took, and the slowest fills it', () => {
    assert.equal(barLength(5, 0), 0);
    assert.equal(barLength(-1, 100), 0);
    assert.equal(barLength(100, 100), 1);
    fc.assert(
      fc.property(anyMs, anyMs, (one, other) => {
        const slowest = Math.max(one, other, 1);
        assert.equal(barLength(one, slowest) <= barLength(other, slowest), one <= other);
      }),
    );
  });

  it('stands beside the figures of all that is worth a name', () => {
    const html = String(
      renderFragment(<BreakdownFigures breakdown={{ ...none, app: 100, database: 0.4, http: 50 }} />),
    );
    assert.match(html, /application <b>100 ms<\/b>/);
    assert.match(html, /outgoing HTTP <b>50\.0 ms<\/b>/);
    assert.doesNotMatch(html, /database <b>|framework <b>/);
    const all = Object.fromEntries(timeCategories.map((name) => [name, 1])) as unknown as TimeBreakdown; // one of each
    assert.equal(
      String(renderFragment(<BreakdownFigures breakdown={all} />)).split('<li>').length - 1,
      timeCategories.length,
    );
  });
});
