import { captureCallSites, type CodePosition } from '#core/errors';
import type { TimelineEntry } from '../../model/profile-record.js';
import { createChannelCollector, type ListeningCollector } from '../create-channel-collector.js';
import { cleanTexts, type CompletedPart, definePart } from '../define-part.js';
import { type ChannelMessage, messageText } from '../message-reader.js';

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
  /** The `html` templates by their place, in the order of their first use. Absent in records of older versions. */
  readonly templates?: readonly UsedTemplate[];
  /** Number of uses of omitted templates. */
  readonly moreTemplates?: number;
}

/** A template of the `html` tag; the name of the function around it is empty if it has none. */
export interface UsedTemplate extends CodePosition {
  readonly name: string;
  /** How often it was filled in, and the length of all that came of it. */
  readonly count: number;
  readonly length: number;
  /** When it was first filled in. */
  readonly startMs: number;
}

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

export const renderPart: CompletedPart = definePart<ViewSection>({
  name: 'view',
  clean: ({ templates = [], ...section }, redactor) => ({
    ...section,
    templates: cleanTexts(templates, redactor),
  }),
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

/** Creates the `view` collector of renderings by the `html` house: of components, and of templates of its tag. */
export function createRenderCollector(): ListeningCollector {
  return createChannelCollector<Facts>({
    part: renderPart,
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

/** Places of templates by their strings; null for those of lookback itself, which are not the application's. */
const places = new WeakMap<object, (CodePosition & { readonly name: string }) | null>();

function addTemplate(facts: Facts, { strings, tag, length }: ChannelMessage, startedAt: number): void {
  if (typeof strings !== 'object' || strings === null || typeof tag !== 'function') return;
  const size = typeof length === 'number' ? length : 0;
  const known = facts.templates.get(strings);
  if (known !== undefined) {
    known.count++;
    known.length += size;
    return;
  }
  let place = places.get(strings);
  if (place === undefined) {
    const below = tag as (...args: never[]) => unknown; // a function, as checked
    // The function that has the template called the tag, so it is the only frame that counts.
    const [site] = captureCallSites(below, { depth: 1, limit: 1, withPackages: true })();
    place = site === undefined ? null : { ...site, name: messageText(site.name, maxNameLength) };
    places.set(strings, place);
  }
  if (place === null) return;
  if (facts.templates.size >= maxTemplates) facts.moreTemplates++;
  else
    facts.templates.set(strings, {
      ...place,
      count: 1,
      length: size,
      startMs: Math.max(0, performance.now() - startedAt),
    });
}
