import type { Redactor } from '#core/dump';
import type { CollectedSection } from '../section.js';
import { copyPlain } from '../../encoding/copy-plain.js';
import { ownSpans } from '../../recording/start-span.js';
import { type SpansSection, spansDefinition } from './section.js';

const maxLength = 262_144;

export function createSpanCollector(redactor: Redactor): CollectedSection {
  return {
    definition: spansDefinition,
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
