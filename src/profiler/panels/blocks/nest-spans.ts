import { timeCategoryOf } from '../../form/time-breakdown.js';
import type { RecordedSpan } from '../../model/profile-record.js';

/** A span and how deep it lies within others. */
export interface NestedSpan extends RecordedSpan {
  readonly depth: number;
}

/**
 * Spans in the order of their beginnings, each as deep as the spans that it lies within. Those that begin together stay
 * in the order in which they were recorded, which is the order in which they were entered.
 */
export function nestSpans(spans: readonly RecordedSpan[]): readonly NestedSpan[] {
  const ordered = [...spans].sort((a, b) => a.startMs - b.startMs);
  const around: RecordedSpan[] = [];
  return ordered.map((span) => {
    for (let outer = around.at(-1); outer !== undefined && !contains(outer, span); outer = around.at(-1))
      around.pop();
    const depth = around.length;
    around.push(span);
    return { ...span, depth };
  });
}

/**
 * Whether one span lies within another that began before it. Of two that touch, or have no length that the clock can
 * show, the later one follows the other, unless that is the stage of a listener. Nothing runs within a query or a call:
 * what lies within it runs beside it.
 */
function contains(outer: RecordedSpan, inner: RecordedSpan): boolean {
  if (outer.section !== undefined && timeCategoryOf(outer.category) !== 'app') return false;
  const end = outer.startMs + outer.durationMs;
  if (end < inner.startMs + inner.durationMs - toleranceMs) return false;
  const isItsStage = outer.category === 'stage' && inner.category === 'listener';
  return isItsStage ? end >= inner.startMs - toleranceMs : end > inner.startMs + toleranceMs;
}

/** Milliseconds by which rounding may make an inner span end after its outer one. */
const toleranceMs = 0.002;
