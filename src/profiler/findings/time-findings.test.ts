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
});
