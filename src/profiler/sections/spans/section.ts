import type { TimelineEntry } from '../../model/profile-record.js';
import { type SectionDefinition, defineSection } from '../define-section.js';

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

export const spansDefinition: SectionDefinition = defineSection<SpansSection>({
  id: 'spans',
  timeline: ({ spans }) => spans.map(toEntry),
});

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
