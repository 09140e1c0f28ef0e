import type { RecordedSpan } from '../../model/profile-record.js';
import type { Span } from './block.js';

/**
 * Spans in the order of their beginnings, each as deep as the spans that it lies within. Those that begin together stay
 * in the order in which they were recorded, which is the order in which they were entered.
 */
export function nestSpans(spans: readonly RecordedSpan[]): readonly Span[] {
  const ordered = [...spans].sort((a, b) => a.startMs - b.startMs);
  const around: RecordedSpan[] = [];
  return ordered.map((span) => {
    for (let outer = around.at(-1); outer !== undefined && !contains(outer, span); outer = around.at(-1))
      around.pop();
    const depth = around.length;
    around.push(span);
    return {
      label: span.name,
      start: span.startMs,
      duration: span.durationMs,
      depth,
      category: span.category,
      ...(span.open === true ? { detail: 'never ended while the request was watched' } : {}),
    };
  });
}

/**
 * Whether one span lies within another that began before it. Of two that touch, or have no length that the clock can
 * tell, the later one follows the other, unless that is the stage of a listener.
 */
function contains(outer: RecordedSpan, inner: RecordedSpan): boolean {
  const end = outer.startMs + outer.durationMs;
  if (end < inner.startMs + inner.durationMs - TOLERANCE) return false;
  const isItsStage = outer.category === 'stage' && inner.category === 'listener';
  return isItsStage ? end >= inner.startMs - TOLERANCE : end > inner.startMs + TOLERANCE;
}

/** Milliseconds by which rounding may make an inner span end after its outer one. */
const TOLERANCE = 0.002;
