import { type SectionDefinition, defineSection } from '../define-section.js';

export interface BudgetSection {
  readonly exceeded: readonly { readonly what: string; readonly value: number; readonly limit: number }[];
}

export const budgetDefinition: SectionDefinition = defineSection<BudgetSection>({
  id: 'budget',
  numbers: { exceeded: { kind: 'count', of: ({ exceeded }) => exceeded.length, finding: 'budget' } },
});
