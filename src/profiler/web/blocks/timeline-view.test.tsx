import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { renderFragment } from '#core/html';
import type { Block, Mark, Span } from '../../view/block.js';
import { TimelineView } from './timeline-view.js';

const breakdown = {
  framework: 4,
  app: 6,
  database: 0,
  http: 0,
  rendering: 0,
  profiler: 0,
  waiting: 0,
  busy: 0,
  unaccounted: 0,
};

function drawn(spans: readonly Span[], total: number, marks?: readonly Mark[]): string {
  const block: Extract<Block, { kind: 'timeline' }> = {
    kind: 'timeline',
    label: 'Timeline of the request',
    total,
    spans,
    ...(marks === undefined ? {} : { marks, breakdown }),
  };
  return String(renderFragment(<TimelineView block={block} />));
}

const anyMs = fc.double({ min: 0, max: 1e6, noNaN: true });
const anySpan = fc.record({
  label: fc.string(),
  start: anyMs,
  duration: anyMs,
  depth: fc.integer({ min: 0, max: 20 }),
});

describe('a timeline', () => {
  it('has a row per span, with its bar within the lane', () => {
    fc.assert(
      fc.property(fc.array(anySpan, { maxLength: 10 }), anyMs, (spans, total) => {
        const bars = [...drawn(spans, total).matchAll(/x="([\d.]+)%" width="([\d.]+)%" height="14"/g)];
        assert.equal(bars.length, spans.length);
        for (const [bar, x, width] of bars) assert.ok(Number(x) + Number(width) <= 100.2, bar);
      }),
    );
  });

  it('is as long as its last bar if that ends after the request', () => {
    assert.match(drawn([{ label: 'late', start: 90, duration: 30 }], 100), /120 ms<\/text>/);
    assert.match(drawn([], 0), /0\.001 ms<\/text>/);
  });

  it('uses the same figures for its axis lines and labels', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.01, max: 1e6, noNaN: true }), (total) => {
        const html = drawn([], total);
        const labels = [...html.matchAll(/<text x="([\d.]+)%" y="12">/g)].map(([, x]) => x);
        const lines = [...html.matchAll(/<line x1="([\d.]+)%"/g)].map(([, x]) => x);
        assert.deepEqual(lines, [...labels, '100']);
        assert.ok(labels.length >= 2 && labels.length <= 5, String(labels));
      }),
    );
  });

  it('draws combined spans at their positions, each in its own colour, and a loop as a comb with its number', () => {
    const parts = [
      { start: 10, duration: 5, category: 'database' },
      { start: 90, duration: 5, category: 'rendering' },
    ];
    const span = { label: '2 steps combined', start: 10, duration: 85, busy: 10, parts };
    const fold = drawn([span], 100);
    assert.match(fold, /<rect class="hull" x="10%" y=".5" width="85%"/);
    assert.match(fold, /<rect class="c-database" x="10%" width="5%"/);
    assert.match(fold, /<rect class="c-rendering" x="90%" width="5%"/);
    assert.match(fold, /<td class="end">10\.0 ms<\/td>/);
    const comb = drawn([{ ...span, label: 'select', repeats: 43 }], 100);
    assert.match(comb, /×43<\/b>select/);
    assert.match(comb, /<svg class="comb"/);
    assert.doesNotMatch(comb, /hull/);
  });

  it('marks bars too short for a narrow window, so that they keep two pixels', () => {
    const html = drawn([{ label: 'select', start: 1, duration: 0.2, category: 'database' }], 100);
    assert.match(html, /<rect class="c-database hair" x="1%" width="0\.2%"/);
    assert.doesNotMatch(drawn([{ label: 'select', start: 1, duration: 1 }], 100), / hair"/);
  });

  it('names each kind of work for those who cannot see colours', () => {
    const html = drawn(
      [
        { label: 'select', start: 0, duration: 5, category: 'database' },
        { label: 'mine', start: 5, duration: 5, category: 'of my own' },
      ],
      10,
    );
    assert.match(html, /select<span class="visually-hidden">, database<\/span>/);
    assert.match(html, /mine<span class="visually-hidden">, your code<\/span>/);
    assert.match(html, /class="c-database"/);
  });

  it('indents at most six levels, shows known facts, and times a sum without gaps', () => {
    const span = {
      label: 'deep',
      start: 0,
      duration: 10,
      busy: 4,
      depth: 12,
      detail: 'late',
      href: '#query-1',
    };
    const html = drawn([span], 10);
    assert.match(
      html,
      /<th scope="row" class="depth-6 mono" title="deep · late"><a href="#query-1">deep<\/a>/,
    );
    assert.match(html, /<small> late<\/small>/);
    assert.match(html, /<td class="end">4\.00 ms<\/td>/);
    assert.match(
      drawn([{ label: 'top', start: 0, duration: 1 }], 1),
      /<th scope="row" class="depth-0 mono" title="top">top/,
    );
  });

  it('adds log entries to the overview', () => {
    const marks = [{ at: 5, label: 'error: <no>', tone: 'error', href: '#log-1' }] as const;
    const html = drawn([], 10, marks);
    assert.match(
      html,
      /<ul class="legend"[^]*framework <strong>4\.00 ms<\/strong> 40 %[^]*your code <strong>6/,
    );
    assert.doesNotMatch(drawn([], 10), /legend/);
    assert.match(html, /<title>error: &lt;no[>&]/);
    assert.match(html, /class="tick tone-error"/);
    assert.doesNotMatch(drawn([], 10, []), /class="tick/);
  });
});
