import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import type { HttpRequest } from '#core/http';
import type { MatchTrace } from '#core/routing';
import { TraceBudget } from './trace-budget.js';

let clock = 0;

const trace = {} as MatchTrace; // only passed on

/** Returns whether a request is explained, which takes the given milliseconds. */
function isTraced(budget: TraceBudget, start: number, isMiss: boolean, tookMs: number): boolean {
  const request = {} as HttpRequest; // only passed on
  const explain = (asked: HttpRequest): MatchTrace => {
    assert.equal(asked, request);
    clock += tookMs;
    return trace;
  };
  return budget.take(explain, { request, start, isMiss }) === trace;
}

/** Mocks the clock for a suite's tests. */
function withClock(): void {
  beforeEach(() => {
    clock = 1000;
    mock.method(performance, 'now', () => clock);
  });
  afterEach(() => mock.restoreAll());
}

describe('the budget for explaining routes', () => {
  withClock();
  it('is 50 ms initially, for matches and for misses each', () => {
    const budget = new TraceBudget();
    for (const isMiss of [false, true]) {
      assert.equal(isTraced(budget, 1000, isMiss, 49), true);
      assert.equal(isTraced(budget, 1000, isMiss, 1), true);
      assert.equal(isTraced(budget, 1000, isMiss, 1), false);
    }
  });

  it('refills by 0.2 % of the time for matches and by 20 % for misses, up to 50 ms', () => {
    const budget = new TraceBudget();
    for (const isMiss of [false, true]) assert.equal(isTraced(budget, 1000, isMiss, 51), true); // 1 ms too much
    assert.equal(isTraced(budget, 1004, true, 0), false);
    assert.equal(isTraced(budget, 1006, true, 0), true);
    assert.equal(isTraced(budget, 1490, false, 0), false);
    assert.equal(isTraced(budget, 1510, false, 0), true);
    for (const isMiss of [false, true]) {
      assert.equal(isTraced(budget, 1e9, isMiss, 50), true);
      assert.equal(isTraced(budget, 1e9, isMiss, 0), false);
    }
  });

  it('does not refill twice for requests that end out of order', () => {
    const budget = new TraceBudget();
    assert.equal(isTraced(budget, 2000, true, 50), true);
    assert.equal(isTraced(budget, 1000, true, 0), false);
    assert.equal(isTraced(budget, 2000, true, 0), false);
    assert.equal(isTraced(budget, 2001, true, 0), true);
  });
});
