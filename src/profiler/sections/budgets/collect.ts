import type { Budget, Budgets, CollectedSection, RequestEnd } from '../section.js';
import { type BudgetSection, budgetDefinition } from './section.js';

/** Creates the `budget` collector, which compares each finished request with its budget and records exceeded limits. */
export function createBudgetCollector(budgets: Budgets = {}): CollectedSection {
  const sorted = Object.entries(budgets).toSorted(([a], [b]) => a.length - b.length);
  return {
    definition: budgetDefinition,
    collect(_recording, end): BudgetSection | undefined {
      if (end === undefined || sorted.length === 0) return undefined;
      const limits = Object.assign(
        {},
        ...sorted.map(([name, budget]) => (fits(name, end) ? budget : {})),
      ) as Budget; // merged from budgets only
      const exceeded = Object.entries(limits).flatMap(([what, limit]: [string, number]) => {
        const value = valueOf(what, end);
        return value > limit ? [{ what, value, limit }] : [];
      });
      return exceeded.length === 0 ? undefined : { exceeded };
    },
  };
}

function fits(name: string, { route }: RequestEnd): boolean {
  if (name.endsWith('*')) return (route ?? '').startsWith(name.slice(0, -1));
  return route === name;
}

function valueOf(what: string, end: RequestEnd): number {
  if (what === 'durationMs') return end.durationMs;
  if (what === 'bytes') return end.bytes;
  return end.number(what === 'queries' ? 'db.queries' : what);
}
