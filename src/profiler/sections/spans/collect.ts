import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Redactor } from '#core/dump';
import type { CollectedSection } from '../section.js';
import { copyPlain } from '../../encoding/copy-plain.js';
import { addEndedSpan, ownSpans } from '../../recording/start-span.js';
import type { ChannelMessage } from '../message-reader.js';
import { type SpansSection, spansDefinition } from './section.js';

const maxLength = 262_144;

const spanChannel = 'lookback:span';
/** This process's open collectors, which share one subscription, because a span's scope determines its recording. */
let collectors = 0;

/**
 * Creates the `spans` collector for custom spans, and for spans that other modules publish on `lookback:span` when they
 * end, such as password hashes.
 */
export function createSpanCollector(redactor: Redactor): CollectedSection {
  if (collectors++ === 0) subscribe(spanChannel, addPublished);
  return {
    definition: spansDefinition,
    close() {
      if (--collectors === 0) unsubscribe(spanChannel, addPublished);
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
      const copy = copyPlain(spans, redactor, maxLength).data;
      return { spans: copy as SpansSection['spans'], more: kept.more }; // a copy of the list above
    },
  };
}

function addPublished(message: unknown): void {
  try {
    if (typeof message !== 'object' || message === null) return;
    const { name, startedAt, durationMs } = message as ChannelMessage; // read by name, and every field is checked
    if (typeof name === 'string' && typeof startedAt === 'number' && typeof durationMs === 'number')
      addEndedSpan(name, startedAt, durationMs);
  } catch {
    // An exception in a subscriber would end the process, so an unreadable message is discarded.
  }
}
