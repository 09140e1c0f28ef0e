import type { CodePosition } from '#core/errors';
import type { TimelineEntry } from '../../model/profile-record.js';
import { type SectionDefinition, cleanTexts, defineSection } from '../define-section.js';

/** A record's `view` section: renderings, with times in milliseconds since the request began. */
export interface ViewSection {
  readonly renders: readonly {
    readonly name: string;
    readonly startMs: number;
    readonly durationMs: number;
    readonly length: number;
  }[];
  /** How many renderings were omitted, and their total duration. */
  readonly more: number;
  readonly moreMs: number;
  /** The `html` templates by location, in order of first use. Absent in older versions' records. */
  readonly templates?: readonly UsedTemplate[];
  /** Number of times that omitted templates were used. */
  readonly moreTemplates?: number;
}

/** An `html` template. `name` is the enclosing function, empty if there is none. */
export interface UsedTemplate extends CodePosition {
  readonly name: string;
  /** Number of uses, and their total output length. */
  readonly count: number;
  readonly length: number;
  /** When it was first used. */
  readonly startMs: number;
}

export const renderDefinition: SectionDefinition = defineSection<ViewSection>({
  id: 'view',
  clean: ({ templates = [], ...section }, redactor) => ({
    ...section,
    templates: cleanTexts(templates, redactor),
  }),
  steps: {
    rows: 'renders',
    one: () => 'Rendering',
    all: 'Rendering',
    combined: '{n} renderings combined',
  },
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
    return [...entries, { name, startMs, durationMs: moreMs, busyMs: moreMs, category: 'rendering' }];
  },
});
