import { safely } from '#core/coded-error';
import { type ProfileRecord } from '../model/profile-record.js';
import { timeCategories, breakdownOf, largestWords } from '../model/time-breakdown.js';
import { formatMilliseconds } from '../model/formatting.js';
import { type RecordFinding, targetIn } from './finding.js';
import { shownSections } from './shown.js';
import { noticeableMs } from './time/findings.js';

export type { RecordFinding } from './finding.js';
export { problemsOf } from './row-problems.js';

const finders = shownSections.flatMap(({ findings = [] }) => findings);
const maxFindings = 20;

/**
 * Returns the findings of a record by what they explain, at most twenty: errors, then why it failed or what took most of a
 * slow request, other warnings, what took parts of its time by their length, and infos.
 */
export function findingsOf(record: ProfileRecord): readonly RecordFinding[] {
  // They may throw: a section may not have the shape that its collector gives it.
  const found = finders.flatMap((find) => safely(() => find(record), undefined) ?? []);
  for (const { section, level, text, anchor } of record.findings ?? [])
    found.push({ level, text, target: targetIn(section, anchor) });
  const ranked = found.map((finding) => ({ finding, rank: rankOf(finding, record.durationMs) }));
  return ranked
    .sort((a, b) => b.rank - a.rank)
    .slice(0, maxFindings)
    .map(({ finding }) => finding);
}

function rankOf({ level, explains }: RecordFinding, durationMs: number): number {
  if (level === 'error') return 5;
  if (explains === 'failure') return 4;
  if (explains === undefined) return level === 'warn' ? 2 : 0;
  const share = Math.min(explains / durationMs, 0.99) || 0;
  return (durationMs >= noticeableMs && share >= 0.375 ? 3 : 1) + share;
}

/** Returns the one sentence about a record: its first finding, or what took the largest part of its time if that says more. */
export function answerOf(
  record: ProfileRecord,
  findings: readonly RecordFinding[] = findingsOf(record),
): RecordFinding {
  const [first] = findings;
  const breakdown = breakdownOf(record);
  const largest = timeCategories.reduce((best, kind) => (breakdown[kind] > breakdown[best] ? kind : best));
  if (first !== undefined) {
    const { level, explains } = first;
    if (typeof explains === 'number' ? explains >= breakdown[largest] / 2 : level !== 'info') return first;
  }
  const isMost = breakdown[largest] > record.durationMs / 2;
  const times = `${formatMilliseconds(breakdown[largest])} of ${formatMilliseconds(record.durationMs)}`;
  const part = isMost ? 'most of it' : 'the largest part';
  const words =
    largest === 'unaccounted' ? `No step accounts for ${part}` : `${largestWords[largest]} took ${part}`;
  const text = `${words}: ${times}`;
  return { level: 'info', text, target: { panel: 'time' } };
}
