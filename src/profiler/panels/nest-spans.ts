import type { RecordedSpan } from '../model/profile-record.js';
import type { Span } from './block.js';

/** Spans in the order of their beginnings, each as deep as the spans that it lies within. */
export function nestSpans(spans: readonly RecordedSpan[]): readonly Span[] {
  const ordered = [...spans].sort((a, b) => a.startMs - b.startMs || b.durationMs - a.durationMs);
  const ends: number[] = [];
  return ordered.map((span) => {
    const end = span.startMs + span.durationMs;
    while (ends.length > 0 && (ends.at(-1) ?? 0) < end - TOLERANCE) ends.pop();
    while (ends.length > 0 && (ends.at(-1) ?? 0) <= span.startMs) ends.pop();
    const depth = ends.length;
    ends.push(end);
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

/** Milliseconds by which rounding may make an inner span end after its outer one. */
const TOLERANCE = 0.002;
