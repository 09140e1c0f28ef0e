import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { renderFragment } from '#core/html';
import { ProfilerLinks } from '../site/links.js';
import { Histogram, lastMinutes } from './histogram.js';
import { parseListFilters } from './list-filters.js';

const links = new ProfilerLinks('/_profiler');
const parsed = parseListFilters(new URLSearchParams('method=GET&page=ab'), { now: 0, collected: [] });
const minute = 60_000;

function drawn(
  counted: readonly (readonly [count: number, failed: number])[],
  until = 1_000 * minute,
): string {
  const counts = {
    total: 0,
    failed: 0,
    slow: 0,
    isExact: true,
    steps: lastMinutes(until),
    histogram: counted,
  };
  return String(renderFragment(<Histogram counted={counts} parsed={parsed} links={links} />));
}

describe('requests per minute', () => {
  it('cover the half hour up to a time, including its minute', () => {
    fc.assert(
      fc.property(fc.integer({ min: 31 * minute, max: 4e12 }), (until) => {
        const { from, stepMs, count } = lastMinutes(until);
        assert.equal(from % minute, 0);
        assert.deepEqual([stepMs, count], [minute, 30]);
        assert.ok(from + stepMs * count > until && from + stepMs * (count - 1) <= until);
      }),
    );
  });

  it('are omitted if there were none', () => {
    assert.equal(drawn([]), '');
    assert.equal(
      drawn([
        [0, 0],
        [0, 0],
      ]),
      '',
    );
  });

  it('have a bar per minute with requests, linked to them on the first page', () => {
    const html = drawn([
      [0, 0],
      [4, 1],
    ]);
    assert.equal(html.split('<a ').length - 1, 1);
    const from = lastMinutes(1_000 * minute).from + minute;
    assert.match(
      html,
      new RegExp(`href="/_profiler/\\?q=method:GET\\+after:${from}\\+before:${from + minute - 1}"`),
    );
    assert.doesNotMatch(html, /page=/);
    assert.match(html, /peak 4\/min/);
    assert.match(html, /4 requests, 1 failed/);
    // From one pixel beside the bar to one beyond it; over its full height, with failures at the bottom.
    assert.match(
      html,
      /<path class="hit" d="M7 0h8v22h-8"><\/path><path class="all" d="M8 1h6V22h-6"><\/path>/,
    );
    assert.match(html, /<path class="bad" d="M8 17h6V22h-6">/);
  });

  it('do not exceed the figure, and even the smallest is visible', () => {
    const some = fc
      .tuple(fc.nat(100_000), fc.nat(100_000))
      .map(([a, b]) => [Math.max(a, b), Math.min(a, b)] as const);
    fc.assert(
      fc.property(fc.array(some, { maxLength: 30 }), (counted) => {
        const html = drawn(counted);
        const tops = [...html.matchAll(/class="all" d="M\d+ ([\d.]+)h6V22/g)].map(([, top]) => Number(top));
        assert.equal(tops.length, counted.filter(([count]) => count > 0).length);
        for (const top of tops) assert.ok(top >= 0 && top <= 20, String(top));
        if (tops.length > 0) assert.equal(Math.min(...tops), 1);
        const failed = counted.filter(([, bad]) => bad > 0).length;
        assert.equal(html.split('class="bad"').length - 1, failed);
      }),
    );
  });
});
