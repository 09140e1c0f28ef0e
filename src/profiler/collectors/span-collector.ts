import type { OutputOf } from '../form/form.js';
import type { Collector } from '../model/collector.js';
import type { TimelineEntry } from '../model/time-breakdown.js';
import { ownSpans } from '../taps/start-span.js';

const form = {
  spans: [{ name: 'text', startMs: 'ms', durationMs: 'ms', isOpen: 'flag', attributes: 'value' }],
  // Number of omitted spans.
  more: 'count',
} as const;

/** The `spans` section of a record. */
export type SpansSection = OutputOf<typeof form>;

/** Collects the spans of `startSpan` and `withSpan`, as `spans`. */
export const spanCollector: Collector = {
  name: 'spans',
  part: {
    form,
    timeline: (data) => (data as SpansSection).spans.map(toEntry), // the data collected below
  },
  collect({ request, startedAt }): SpansSection | undefined {
    const kept = request.scope.getOwn(ownSpans);
    if (kept === undefined) return undefined;
    const now = performance.now() - startedAt;
    const spans = kept.spans.map(({ name, startMs, endMs, attributes }) => ({
      name,
      startMs,
      durationMs: (endMs ?? now) - startMs,
      isOpen: endMs === undefined,
      attributes,
    }));
    return { spans, more: kept.more };
  },
};

function toEntry({
  name,
  startMs,
  durationMs,
  isOpen,
  attributes,
}: SpansSection['spans'][number]): TimelineEntry {
  const open = isOpen ? { open: true as const } : {};
  return { name, startMs, durationMs, category: 'app', ...open, ...detailOf(attributes) };
}

function detailOf(attributes: unknown): { readonly detail?: string } {
  const entries = Object.entries(attributes ?? {});
  if (entries.length === 0) return {};
  return { detail: entries.map(([name, value]) => `${name}: ${String(value)}`).join(', ') };
}
