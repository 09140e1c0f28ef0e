import { type SectionDefinition, defineSection } from '../define-section.js';

export const cpuDefinition: SectionDefinition = defineSection({ id: 'cpu' });
