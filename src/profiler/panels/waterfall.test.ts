import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { RecordedSpan } from '../model/profile-record.js';
import { nestSpans } from './blocks/nest-spans.js';
import { foldShort } from './waterfall.js';

const span = (category: string, startMs: number, durationMs: number): RecordedSpan => ({
  name: `${category} ${startMs}`,
  category,
  startMs,
  durationMs,
});
const rowsOf = (spans: readonly RecordedSpan[], least: number): string[] =>
  foldShort(nestSpans(spans), least).map(({ depth, name, busyMs }) =>
    `${depth} ${name} ${busyMs ?? ''}`.trim(),
  );

describe('short rows of a timeline', () => {
  it('are folded with their neighbours, and what is long stays', () => {
    const spans = [
      span('stage', 0, 3),
      span('listener', 0.5, 1),
      span('listener', 2, 1),
      span('controller', 5, 90),
      span('database', 10, 2),
      span('database', 20, 2),
      span('database', 30, 50),
      span('stage', 96, 2),
    ];
    assert.deepEqual(rowsOf(spans, 5), [
      '0 2 listeners 3',
      '0 controller 5',
      '1 2 queries 4',
      '1 database 30',
      '0 stage 96',
    ]);
    assert.equal(rowsOf(spans, 0).length, spans.length);
  });

  it('of several kinds are steps, in the colour of the longest', () => {
    const [row] = foldShort(nestSpans([span('app', 0, 3), span('rendering', 3, 1)]), 5);
    assert.deepEqual([row?.name, row?.category], ['2 steps', 'app']);
  });

  it('of a cache are commands, and no queries of the database beside them', () => {
    const cached = (startMs: number): RecordedSpan => ({ ...span('database', startMs, 1), section: 'cache' });
    assert.deepEqual(rowsOf([cached(0), cached(2)], 5), ['0 2 cache commands 2']);
    assert.deepEqual(rowsOf([cached(0), span('database', 2, 1)], 5), ['0 2 steps 2']);
  });

  it('cover the same time, whatever the spans are', () => {
    const times = fc.double({ min: 0, max: 100, noNaN: true });
    fc.assert(
      fc.property(fc.array(fc.tuple(times, times)), times, (pairs, least) => {
        const spans = pairs.map(([start, length]) => span('stage', start, length));
        const rows = foldShort(nestSpans(spans), least);
        const long = spans.filter(({ durationMs }) => durationMs >= least).length;
        assert.ok(rows.length >= long && rows.length <= spans.length);
        assert.equal(
          Math.min(...rows.map(({ startMs }) => startMs)),
          Math.min(...spans.map(({ startMs }) => startMs)),
        );
      }),
    );
  });
});
