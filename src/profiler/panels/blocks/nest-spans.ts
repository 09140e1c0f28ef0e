import { timeCategoryOf } from '../../form/time-breakdown.js';
import type { RecordedSpan } from '../../model/profile-record.js';

/** A span with its nesting depth. */
export interface NestedSpan extends RecordedSpan {
  readonly depth: number;
}

/**
 * Sorts spans by start time and computes how many spans enclose each of them. Spans that start at the same time keep their
 * recorded order, which is the order in which they were entered.
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
 * Returns whether `outer` encloses `inner`, which started later. Of two spans that touch, or that are too short for the
 * clock, the later one follows the other, unless `outer` is the stage of the listener `inner`. A query or an outgoing call
 * encloses nothing: spans during it run concurrently.
 */
function contains(outer: RecordedSpan, inner: RecordedSpan): boolean {
  if (outer.section !== undefined && timeCategoryOf(outer.category) !== 'app') return false;
  const end = outer.startMs + outer.durationMs;
  if (end < inner.startMs + inner.durationMs - toleranceMs) return false;
  const isItsStage = outer.category === 'stage' && inner.category === 'listener';
  return isItsStage ? end >= inner.startMs - toleranceMs : end > inner.startMs + toleranceMs;
}

/** Milliseconds by which, due to rounding, an inner span may end after its outer span. */
const toleranceMs = 0.002;
