import type { BudgetSection } from '../collectors/create-budget-collector.js';
import { findSection } from '../collectors/find-section.js';
import type { ProfileRecord } from '../model/profile-record.js';
import { formatBytes, formatMilliseconds, plural } from '../words/format.js';
import type { RecordFinding } from './finding.js';

const panels: Readonly<Record<string, string>> = { durationMs: 'time', bytes: 'request', queries: 'db' };

/** What the request needed above the budget of its route. */
export function findOverBudget(record: ProfileRecord): readonly RecordFinding[] {
  const { exceeded } = findSection<BudgetSection>(record, 'budget', ['exceeded']) ?? { exceeded: [] };
  return exceeded.map(({ what, value, limit }) => ({
    level: 'warn',
    text: `Over budget: ${amount(what, value)}, where the route may need ${amount(what, limit)}`,
    target: { panel: panels[what] ?? what.split('.', 1)[0] ?? what },
  }));
}

function amount(what: string, value: number): string {
  if (what === 'bytes') return formatBytes(value);
  if (what === 'queries') return plural(value, 'query', 'queries');
  return what.endsWith('Ms') ? formatMilliseconds(value) : `${value} (${what})`;
}
