import type { RecordedCallSite } from '../../model/find-location.js';
import { type SectionDefinition, cleanTexts, defineSection } from '../define-section.js';

/** An error that the application's code threw, and may have caught. `file` is empty if its line is not known. */
export interface RecordedThrow extends RecordedCallSite {
  readonly class: string;
  readonly code?: string | null;
  readonly message: string;
  readonly offsetMs: number;
}

/**
 * The errors thrown in the application's code, including those it caught. Recorded only while local variables are
 * watched, and not completely: a function that throws often is skipped.
 */
export interface ThrowsSection {
  readonly throws: readonly RecordedThrow[];
  readonly more: number;
}

export const throwsDefinition: SectionDefinition = defineSection<ThrowsSection>({
  id: 'throws',
  clean: (section, redactor) => cleanTexts(section, redactor),
});
