import { type SectionDefinition, cleanTexts, defineSection } from '../define-section.js';

export type State = 'defined' | 'fallback' | 'missing';

/** A catalogue message that a request used. */
export interface TranslationUse {
  readonly key: string;
  readonly locale: string;
  /** Locale whose text was used; empty if there was no text. */
  readonly used: string;
  readonly state: State;
  readonly count: number;
  /** Text with its values, as first shown. */
  readonly text?: string;
}

export interface TranslationSection {
  readonly messages: readonly TranslationUse[];
  readonly more: number;
}

export const translationDefinition: SectionDefinition = defineSection<TranslationSection>({
  id: 'translation',
  clean: (section, redactor) => cleanTexts(section, redactor),
});
