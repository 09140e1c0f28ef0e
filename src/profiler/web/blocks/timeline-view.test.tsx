import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { renderFragment } from '#html';
import type { Block, Mark, Span } from '../../panels/blocks/block.js';
import { TimelineView } from './timeline-view.js';

function drawn(spans: readonly Span[], total: number, marks?: readonly Mark[]): string {
  const block: Extract<Block, { kind: 'timeline' }> = {
    kind: 'timeline',
    label: 'Timeline of the request',
    total,
    spans,
    ...(marks === undefined ? {} : { marks }),
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
  it('has a row for each span, with its bar within the track', () => {
    fc.assert(
      fc.property(fc.array(anySpan, { maxLength: 10 }), anyMs, (spans, total) => {
        const html = drawn(spans, total);
        const bars = [...html.matchAll(/d="M([\d.e+-]+) 1h([\d.e+-]+)v12H([\d.e+-]+)z"/g)];
        assert.equal(bars.length, spans.length);
        for (const [bar, x, width, back] of bars) {
          assert.equal(x, back, bar);
          assert.ok(Number(x) >= 0 && Number(width) >= 0 && Number(x) + Number(width) <= 1000.2, bar);
        }
      }),
    );
  });

  it('is as long as its last bar where that ends behind the request', () => {
    assert.match(drawn([{ label: 'late', start: 90, duration: 30 }], 100), /data-timeline="120"/);
    assert.match(drawn([], 0), /data-timeline="0\.001"/);
  });

  it('names each kind of work for those who see no colour', () => {
    const html = drawn(
      [
        { label: 'select', start: 0, duration: 5, category: 'database' },
        { label: 'mine', start: 5, duration: 5, category: 'of my own' },
      ],
      10,
    );
    assert.match(html, /select<span class="visually-hidden">, database<\/span>/);
    assert.match(html, /mine<span class="visually-hidden">, application<\/span>/);
    assert.match(html, /class="c-database"/);
  });

  it('indents five levels and no more, says what it knows, and times a sum without its gaps', () => {
    const span = {
      label: 'deep',
      start: 0,
      duration: 10,
      busy: 4,
      depth: 12,
      detail: 'together',
      href: '#query-1',
    };
    const html = drawn([span], 10);
    assert.match(html, /<th scope="row" class="depth-5"><a href="#query-1">deep<\/a>/);
    assert.match(html, /<small>together<\/small>/);
    assert.match(html, /<td class="end">4\.00 ms<\/td>/);
    assert.match(drawn([{ label: 'top', start: 0, duration: 1 }], 1), /<th scope="row">top/);
  });

  it('puts entries of the log on its axis', () => {
    const marks = [{ at: 5, label: 'error: <no>', tone: 'error', href: '#log-1' }] as const;
    const html = drawn([], 10, marks);
    assert.match(html, /<title>error: &lt;no[>&]/);
    assert.match(html, /class="tick tone-error"/);
    assert.doesNotMatch(drawn([], 10, []), /class="tick/);
  });
});
