import type { TimelineEntry } from '../model/profile-record.js';
import { createChannelCollector, type ListeningCollector } from './create-channel-collector.js';
import { type CompletedPart, definePart } from './define-part.js';
import { messageText } from './message-reader.js';

/** The `view` section of a record: the renderings. Times in milliseconds since the request began. */
export interface ViewSection {
  readonly renders: readonly {
    readonly name: string;
    readonly startMs: number;
    readonly durationMs: number;
    readonly length: number;
  }[];
  /** Number and total duration of omitted renderings. */
  readonly more: number;
  readonly moreMs: number;
}

interface Facts {
  readonly renders: ViewSection['renders'][number][];
  more: number;
  moreMs: number;
}

const maxRenders = 100;
const maxNameLength = 100;

export const renderPart: CompletedPart = definePart<ViewSection>({
  name: 'view',
  timeline({ renders, more, moreMs }) {
    const entries = renders.map(({ name, startMs, durationMs }, at): TimelineEntry => ({
      name: name === '' ? 'render' : `<${name}>`,
      startMs,
      durationMs,
      category: 'rendering',
      anchor: `render-${at + 1}`,
    }));
    const last = entries.at(-1);
    if (more === 0 || last === undefined) return entries;
    const startMs = last.startMs + last.durationMs;
    const name = `${more} further renderings`;
    return [...entries, { name, startMs, durationMs: moreMs, category: 'rendering' }];
  },
});

/** Creates the `view` collector of renderings by the `html` house. */
export function createRenderCollector(): ListeningCollector {
  return createChannelCollector<Facts>({
    part: renderPart,
    begin: () => ({ renders: [], more: 0, moreMs: 0 }),
    channels: {
      'lookback:html:render': (facts, { name, durationMs, length }, { startedAt }) => {
        const took = typeof durationMs === 'number' && durationMs >= 0 ? durationMs : 0;
        if (facts.renders.length >= maxRenders) {
          facts.more++;
          facts.moreMs += took;
          return;
        }
        facts.renders.push({
          name: messageText(name).slice(0, maxNameLength),
          startMs: Math.max(0, performance.now() - took - startedAt),
          durationMs: took,
          length: typeof length === 'number' ? length : 0,
        });
      },
    },
    section: (facts): ViewSection | undefined => facts,
  });
}
