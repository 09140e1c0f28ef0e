import type { Snapshot } from '#core/dump';
import { type SectionDefinition, cleanTexts, defineSection } from '../define-section.js';
import type { CallFacts } from '../message-reader.js';

export interface JobsSection {
  /** The job in this record; null for a request's record. */
  readonly run: {
    readonly queue: string;
    readonly name: string;
    readonly id: string;
    readonly attempt: number;
    readonly data: Snapshot;
    readonly result: Snapshot;
  } | null;
  readonly sent: readonly (CallFacts & {
    readonly queue: string;
    readonly name: string;
    readonly id: string | null;
    readonly data: Snapshot;
  })[];
  readonly more: number;
}

export const jobsDefinition: SectionDefinition = defineSection<JobsSection>({
  id: 'jobs',
  numbers: { sent: { kind: 'count', of: ({ sent, more }) => sent.length + more } },
  clean: (section, redactor) => cleanTexts(section, redactor, ['data', 'result']),
});
