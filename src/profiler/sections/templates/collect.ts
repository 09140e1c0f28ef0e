import { type CodePosition, captureCallSites } from '#core/errors';
import { createChannelCollector } from '../collect-messages.js';
import type { CollectedSection } from '../section.js';
import { type ChannelMessage, messageText } from '../message-reader.js';
import { type UsedTemplate, type ViewSection, renderDefinition } from './section.js';

interface Facts {
  readonly renders: ViewSection['renders'][number][];
  more: number;
  moreMs: number;
  readonly templates: Map<object, UsedTemplate & { count: number; length: number }>;
  moreTemplates: number;
}

const maxRenders = 100;

const maxTemplates = 100;

const maxNameLength = 100;

/** Creates the `view` collector of components and templates rendered by `#core/html`. */
export function createRenderCollector(): CollectedSection {
  return createChannelCollector<Facts>({
    definition: renderDefinition,
    begin: () => ({ renders: [], more: 0, moreMs: 0, templates: new Map(), moreTemplates: 0 }),
    channels: {
      'lookback:html:template': (facts, message, { startedAt }) => addTemplate(facts, message, startedAt),
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
    section: (facts): ViewSection | undefined =>
      facts === undefined || facts.renders.length + facts.templates.size === 0
        ? undefined
        : { ...facts, templates: [...facts.templates.values()] },
  });
}

/** Template locations by their strings; null for lookback's own templates, which do not belong to the application. */
const locations = new WeakMap<object, (CodePosition & { readonly name: string }) | null>();

function addTemplate(facts: Facts, { strings, tag, length }: ChannelMessage, startedAt: number): void {
  if (typeof strings !== 'object' || strings === null || typeof tag !== 'function') return;
  const size = typeof length === 'number' ? length : 0;
  const known = facts.templates.get(strings);
  if (known !== undefined) {
    known.count++;
    known.length += size;
    return;
  }
  let location = locations.get(strings);
  if (location === undefined) {
    const below = tag as (...args: never[]) => unknown; // checked to be a function
    // The function that contains the template called the tag, so only that frame counts.
    const [site] = captureCallSites(below, { depth: 1, limit: 1, withPackages: true })();
    location = site === undefined ? null : { ...site, name: messageText(site.name, maxNameLength) };
    locations.set(strings, location);
  }
  if (location === null) return;
  if (facts.templates.size >= maxTemplates) facts.moreTemplates++;
  else
    facts.templates.set(strings, {
      ...location,
      count: 1,
      length: size,
      startMs: Math.max(0, performance.now() - startedAt),
    });
}
