import type { ProfileRecord } from '../../model/profile-record.js';
import { formatBytes, formatMilliseconds } from '../../model/formatting.js';
import { type Finder, ofKind, type RecordFinding, warning } from '../finding.js';
import { say } from '#core/phrases';
import type { BudgetSection } from './section.js';
import { findSection } from '../define-section.js';

const panels: Readonly<Record<string, string>> = { durationMs: 'time', bytes: 'request', queries: 'db' };

/** The finder for exceeded limits. */
export const budgetFinders: readonly Finder[] = [ofKind('over-budget', findOverBudget)];

function findOverBudget(record: ProfileRecord): readonly RecordFinding[] {
  const { exceeded = [] } = findSection<BudgetSection>(record, 'budget', ['exceeded']) ?? {};
  return exceeded.map(({ what, value, limit }) => {
    const text = `Over budget: ${amount(what, value)}; the limit of the route is ${amount(what, limit)}`;
    return warning(text, panels[what] ?? what.split('.', 1)[0]);
  });
}

function amount(what: string, value: number): string {
  if (what === 'bytes') return formatBytes(value);
  if (what === 'queries') return say('{n} query|{n} queries', { n: value });
  return what.endsWith('Ms') ? formatMilliseconds(value) : `${value} (${what})`;
}
