import type { OutputOf } from '../form/form.js';
import type { SectionPart } from '../model/section-part.js';
import type { TimelineEntry } from '../model/time-breakdown.js';
import { createChannelCollector, type ListeningCollector } from './create-channel-collector.js';
import { messageText } from './message-reader.js';

const form = {
  renders: [{ name: 'word', startMs: 'ms', durationMs: 'ms', length: 'count' }],
  // Those that were left out: how many, and what they took.
  more: 'count',
  moreMs: 'ms',
} as const;

/** The `view` section of a record: what was rendered. Milliseconds since the request began. */
export type ViewSection = OutputOf<typeof form>;

interface Facts {
  readonly renders: { name: string; startMs: number; durationMs: number; length: number }[];
  more: number;
  moreMs: number;
}

const maxRenders = 100;
const maxNameLength = 100;

export const renderPart: SectionPart = {
  form,
  isClean: true,
  timeline: (data) => timelineOf(data),
};

/** Keeps what was rendered by the `html` house, under `view`. */
export function createRenderCollector(): ListeningCollector {
  return createChannelCollector<Facts>({
    name: 'view',
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
    section: (facts) => facts,
  });
}

function timelineOf(data: unknown): readonly TimelineEntry[] {
  const { renders, more, moreMs } = data as ViewSection; // of this form
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
  return [
    ...entries,
    { name: `${more} further renderings`, startMs, durationMs: moreMs, category: 'rendering' },
  ];
}
