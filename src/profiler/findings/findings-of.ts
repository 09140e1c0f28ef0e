import type { ProfileRecord } from '../model/profile-record.js';
import { findInOutcome, findOverBudget } from './outcome-findings.js';
import { findInDatabase } from './database-findings.js';
import { findInExchange } from './exchange-findings.js';
import type { RecordFinding } from './finding.js';
import { findInTime } from './time-findings.js';

export type { RecordFinding } from './finding.js';
export { problemsOf } from './row-problems.js';

type Finder = (record: ProfileRecord) => readonly RecordFinding[];

const finders: readonly Finder[] = [
  findInOutcome,
  findInTime,
  findOverBudget,
  findInDatabase,
  findInExchange,
];
const levels: readonly RecordFinding['level'][] = ['error', 'warn', 'info'];
const maxFindings = 20;

/** Returns the findings of a record, errors before warnings before infos; at most twenty. */
export function findingsOf(record: ProfileRecord): readonly RecordFinding[] {
  const found = finders.flatMap((find) => {
    try {
      return find(record);
    } catch {
      return []; // a section that does not have the shape its collector gives it
    }
  });
  return levels.flatMap((level) => found.filter((finding) => finding.level === level)).slice(0, maxFindings);
}
