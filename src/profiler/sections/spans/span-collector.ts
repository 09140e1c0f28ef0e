import type { Redactor } from '#core/dump';
import type { Collector } from '../../model/collector.js';
import type { TimelineEntry } from '../../model/profile-record.js';
import { copyPlain } from '../../encoding/copy-plain.js';
import { ownSpans } from '../../recording/start-span.js';
import { type CompletedPart, definePart } from '../define-part.js';

export interface SpansSection {
  readonly spans: readonly {
    readonly name: string;
    readonly startMs: number;
    readonly durationMs: number;
    readonly isOpen: boolean;
    readonly attributes: unknown;
  }[];
  readonly more: number;
}

const maxLength = 262_144;

export const spansPart: CompletedPart = definePart<SpansSection>({
  name: 'spans',
  timeline: ({ spans }) => spans.map(toEntry),
});

export function createSpanCollector(redactor: Redactor): Collector {
  return {
    name: 'spans',
    part: spansPart,
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
      const copy = copyPlain(spans, redactor, maxLength).data;
      return { spans: copy as SpansSection['spans'], more: kept.more }; // a copy of the list above
    },
  };
}

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
