import type { MultipartSection } from '../../recording/body-parts.js';
import { type SectionDefinition, cleanTexts, defineSection } from '../define-section.js';

export const multipartDefinition: SectionDefinition = defineSection<MultipartSection>({
  id: 'multipart',
  clean: (section, redactor) => cleanTexts(section, redactor),
});
