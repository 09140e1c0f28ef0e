import type { BudgetSection } from '../collectors/create-budget-collector.js';
import { findSection } from '../collectors/find-section.js';
import type { ProfileRecord } from '../model/profile-record.js';
import { formatBytes, formatMilliseconds } from '../words/format.js';
import { say } from '../words/say.js';
import type { RecordFinding } from './finding.js';

const panels: Readonly<Record<string, string>> = { durationMs: 'time', bytes: 'request', queries: 'db' };

/** What the request needed above the budget of its route. */
export function findOverBudget(record: ProfileRecord): readonly RecordFinding[] {
  const { exceeded } = findSection<BudgetSection>(record, 'budget', ['exceeded']) ?? { exceeded: [] };
  return exceeded.map(({ what, value, limit }) => ({
    level: 'warn',
    text: say('Over budget: {value}, where the route may need {limit}', {
      value: amount(what, value),
      limit: amount(what, limit),
    }),
    target: { panel: panels[what] ?? what.split('.', 1)[0] ?? what },
  }));
}

function amount(what: string, value: number): string {
  if (what === 'bytes') return formatBytes(value);
  if (what === 'queries') return say('{n} query|{n} queries', { n: value });
  return what.endsWith('Ms') ? formatMilliseconds(value) : `${value} (${what})`;
}
