import type { ProfileRecord } from '../model/profile-record.js';
import {
  timeCategories,
  breakdownOf,
  largestWords,
  type TimeBreakdown,
  type TimeCategory,
} from '../model/time-breakdown.js';
import { formatMilliseconds } from '../model/formatting.js';
import { type RecordFinding, targetIn } from './finding.js';

export type { RecordFinding } from './finding.js';
export { problemsOf } from './row-problems.js';

/**
 * Returns a record's stored findings, at most twenty, ranked by what they explain: errors, then the cause of a failure or of most of a slow
 * request, other warnings, parts of the time by length, and infos.
 */
export function findingsOf({ findings = [] }: Pick<ProfileRecord, 'findings'>): readonly RecordFinding[] {
  return findings.map(({ section, anchor, explainsMs, ...finding }) => ({
    ...finding,
    target: targetIn(section, anchor),
    ...(explainsMs === undefined ? {} : { explains: explainsMs }),
  }));
}

/** Returns a record's one-sentence summary: its first finding, or the largest part of its time if that says more. */
export function answerOf(
  record: ProfileRecord,
  findings: readonly RecordFinding[] = findingsOf(record),
): RecordFinding {
  const [first] = findings;
  const breakdown = breakdownOf(record);
  const largest = largestOf(breakdown);
  if (first !== undefined) {
    const { level, explains } = first;
    if (typeof explains === 'number' ? explains >= breakdown[largest] / 2 : level !== 'info') return first;
    const repeated = findings.find(({ kind = '' }) => repeatedKinds.has(kind));
    const repeatedMs = typeof repeated?.explains === 'number' ? repeated.explains : 0;
    if (repeatedMs >= record.durationMs * minRepeatedShare) return repeated ?? first;
  }
  const isMost = breakdown[largest] > record.durationMs / 2;
  const times = `${formatMilliseconds(breakdown[largest])} of ${formatMilliseconds(record.durationMs)}`;
  const part = isMost ? 'most of it' : 'the largest part';
  const words =
    largest === 'unaccounted' ? `No step accounts for ${part}` : `${largestWords[largest]} took ${part}`;
  const text = `${words}: ${times}`;
  return { level: 'info', text, target: { panel: 'time' } };
}

/**
 * Kinds that name a line to fix. From `minRepeatedShare` of the time on, they say more than the largest kind of work.
 */
const repeatedKinds: ReadonlySet<string> = new Set(['n+1', 'duplicate-query']);
const minRepeatedShare = 0.1;

/** The machine counts as the largest part only if less than this share of the request remains. */
const barelyRan = 0.05;

function largestOf(breakdown: TimeBreakdown): TimeCategory {
  const whole = timeCategories.reduce((sum, kind) => sum + breakdown[kind], 0);
  if (whole - breakdown.busy < whole * barelyRan) return 'busy';
  const others = timeCategories.filter((kind) => kind !== 'busy');
  return others.reduce(
    (best, kind) => (breakdown[kind] > breakdown[best] ? kind : best),
    others[0] ?? 'busy',
  );
}
