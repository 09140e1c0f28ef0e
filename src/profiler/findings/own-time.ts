import type { CountedSpan } from '../form/time-breakdown.js';

/** Milliseconds of a span in which no other span ran within it. */
export function ownTimeOf(span: CountedSpan, timeline: readonly CountedSpan[]): number {
  const { startMs, durationMs } = span;
  const end = startMs + durationMs;
  let own = durationMs;
  let covered = startMs;
  const inner = timeline.filter(
    (other) => other !== span && other.startMs >= startMs && other.durationMs < durationMs,
  );
  for (const other of inner.toSorted((a, b) => a.startMs - b.startMs)) {
    const from = Math.max(other.startMs, covered);
    const to = Math.min(other.startMs + (other.busyMs ?? other.durationMs), end);
    if (to <= from) continue;
    own -= to - from;
    covered = to;
  }
  return own;
}
