import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ownTimeOf } from './time-findings.js';

const span = (category: string, startMs: number, durationMs: number) =>
  ({ category, startMs, durationMs }) as const;

describe('the own time of a span', () => {
  it('is what is left of it beside the spans within', () => {
    const outer = span('controller', 10, 80);
    const timeline = [outer, span('database', 20, 30), span('database', 40, 20), span('stage', 0, 100)];
    assert.equal(ownTimeOf(outer, timeline), 40);
  });

  it('is less by the time in which the process did not run, but not that of a query, which goes on', () => {
    const stop = { ...span('unaccounted', 5, 60), busyMs: 20 };
    const [code, query] = [span('controller', 0, 100), span('database', 0, 100)];
    assert.equal(ownTimeOf(code, [code, stop]), 80);
    assert.equal(ownTimeOf(query, [query, stop]), 100);
  });
});
