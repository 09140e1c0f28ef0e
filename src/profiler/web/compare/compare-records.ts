import { say } from '#core/phrases';
import type { DbSection } from '../../sections/database/queries.js';
import { findSection } from '../../sections/define-section.js';
import { shapeOf } from '../../sections/database/repeated.js';
import { type ProfileRecord } from '../../model/profile-record.js';
import { timeCategories, type TimeCategory, breakdownOf, largestWords } from '../../model/time-breakdown.js';
import { from, locationTextOf, type RecordFinding, refusalKinds } from '../../sections/finding.js';
import { findRecordedError } from '../../model/recorded-error.js';
import { describeFailure } from '../../sections/exception/findings.js';
import { findingsOf } from '../../sections/findings-of.js';
import { hasFailed } from '../../search/find-last-good.js';
import { formatMilliseconds } from '../../model/formatting.js';
import { compareRequests, compareResponses, type MessageDifferences } from './compare-messages.js';
import { compareSteps, type StepComparison } from './compare-steps.js';

/** Two records, in the order in which they began. */
export type RecordPair = readonly [before: ProfileRecord, after: ProfileRecord];

/**
 * The differences between two records in reading order: outcome, request, steps, time. Rendered by pages, the command line and assistants,
 * each in its own form.
 */
export interface Comparison {
  readonly pair: RecordPair;
  /** The sides' labels: `Worked` and `Failed` if one of them failed, otherwise `Before` and `After`. */
  readonly names: readonly [before: string, after: string];
  /** The only side that failed; undefined if none or both did. */
  readonly failed: 'before' | 'after' | undefined;
  /** How each request ended: its status, or that there was no complete response. */
  readonly outcomes: readonly [before: string, after: string];
  /** What caused the difference, in one sentence with its source location. */
  readonly sentence: RecordFinding;
  readonly sent: MessageDifferences;
  readonly answered: MessageDifferences;
  readonly steps: StepComparison;
  /** Time by category, largest difference first. */
  readonly parts: readonly Part[];
  /** How often each record ran each query, largest difference first, without queries run equally often. */
  readonly queries: readonly QueryChange[];
}

/** Compares two records in the order in which they began. */
export function compareRecords(pair: RecordPair): Comparison {
  const [before, after] = pair;
  const failed = failedSide(pair);
  return {
    pair,
    names:
      failed === undefined
        ? ['Before', 'After']
        : failed === 'after'
          ? ['Worked', 'Failed']
          : ['Failed', 'Worked'],
    failed,
    outcomes: [outcomeOf(before), outcomeOf(after)],
    sentence: describeChange(pair),
    sent: compareRequests(before, after),
    answered: compareResponses(before, after),
    steps: compareSteps(before, after),
    parts: compareParts(pair),
    queries: compareQueries(pair).filter((query) => query.before !== query.after),
  };
}

/** Returns two records in the order in which they began. */
export function inOrder(one: ProfileRecord, other: ProfileRecord): RecordPair {
  return one.startedAt <= other.startedAt ? [one, other] : [other, one];
}

function failedSide([before, after]: RecordPair): Comparison['failed'] {
  const [was, is] = [hasFailed(before), hasFailed(after)];
  return was === is ? undefined : is ? 'after' : 'before';
}

function outcomeOf({ state, response }: ProfileRecord): string {
  if (response === null) return 'no response';
  return state === 'complete' ? String(response.status) : `${response.status}, cut short`;
}

/** A number in both records. */
export interface Change {
  readonly before: number;
  readonly after: number;
}

/** Minimum time difference worth a sentence: a share of the longer request, or a millisecond. */
const noticeableShare = 0.1;

export interface Part extends Change {
  readonly category: TimeCategory;
}

export interface QueryChange extends Change {
  readonly sql: string;
}

/** Returns the time per category in both records, largest difference first, without categories that took no time. */
function compareParts([before, after]: RecordPair): readonly Part[] {
  const [was, is] = [breakdownOf(before), breakdownOf(after)];
  return timeCategories
    .map((category) => ({ category, before: was[category], after: is[category] }))
    .filter((part) => part.before + part.after > 0)
    .toSorted((a, b) => Math.abs(b.after - b.before) - Math.abs(a.after - a.before));
}

/** Returns how often both records ran each query, by shape, largest difference first. */
function compareQueries([before, after]: RecordPair): readonly QueryChange[] {
  const counts = new Map<string, { sql: string; before: number; after: number }>();
  for (const [side, record] of [['before', before] as const, ['after', after] as const])
    for (const { sql } of dbSection(record)?.queries ?? []) {
      const shape = shapeOf(sql);
      const known = counts.get(shape) ?? { sql: sql.replace(/\s+/g, ' ').trim(), before: 0, after: 0 };
      known[side]++;
      counts.set(shape, known);
    }
  return [...counts.values()].toSorted(
    (a, b) => Math.abs(b.after - b.before) - Math.abs(a.after - a.before) || b.after - a.after,
  );
}

/** Describes what caused the difference: a failure, or the category whose time changed most. */
function describeChange(pair: RecordPair): RecordFinding {
  const [before, after] = pair;
  const info = (text: string, panel?: string): RecordFinding => ({
    level: 'info',
    text,
    ...(panel !== undefined && { target: { panel } }),
  });
  const [was, is] = [outcomeOf(before), outcomeOf(after)];
  const side = failedSide(pair);
  const failed = side === 'before' ? before : after;
  const thrown = findRecordedError(failed);
  const isNew = side !== undefined || findRecordedError(before)?.message !== thrown?.message;
  if (isNew && thrown !== undefined && failed.exception?.answered === undefined)
    return info(describeFailure(failed), 'exception');
  if (was !== is) {
    const reason = findingsOf(failed).find(({ kind = '' }) => refusalKinds.has(kind));
    return reason ?? info(`Answered with ${is} instead of ${was}`);
  }
  const delta = after.durationMs - before.durationMs;
  const [largest] = compareParts(pair);
  const isSmall =
    Math.abs(delta) < Math.max(1, noticeableShare * Math.max(before.durationMs, after.durationMs));
  if (isSmall || largest === undefined) return info('Both took about the same time');
  const change = largest.after - largest.before;
  const share = Math.round((100 * change) / delta);
  const what = largestWords[largest.category];
  const sentence =
    share > 0 && share <= 100
      ? `${what} makes up ${share} % of the difference`
      : `${what} took ${formatMilliseconds(Math.abs(change))} ${change > 0 ? 'more' : 'less'}`;
  return largest.category === 'database'
    ? info(sentence + describeQueries(pair), 'db')
    : info(sentence, 'time');
}

function describeQueries(pair: RecordPair): string {
  const [was, is] = pair.map((record) => dbSection(record)?.totals.queries ?? 0);
  if (was === undefined || is === undefined || was === is) return '';
  const more = say(': {n} query instead of {was}|: {n} queries instead of {was}', { n: is, was });
  const loops = pair.map((record) => dbSection(record)?.groups.find(({ kind }) => kind === 'n+1'));
  const [before, after] = loops;
  if (after === undefined || after.count <= (before?.count ?? 0)) return more;
  return more + say(', one of them {n} times', { n: after.count }) + from(locationTextOf(after.callSite));
}

/** Describes the ratio of two times. */
export function describeRatio(before: number, after: number): string {
  const ratio = after / before;
  if (!Number.isFinite(ratio) || ratio <= 0) return '';
  const round = (value: number): string => value.toFixed(value < 10 ? 1 : 0);
  if (ratio >= 1.5) return say('{n} times as long', { n: round(ratio) });
  if (ratio <= 1 / 1.5) return say('{n} times as fast', { n: round(1 / ratio) });
  const percent = Math.round(Math.abs(ratio - 1) * 100);
  return percent === 0 ? 'as long as before' : `${percent} % ${ratio > 1 ? 'longer' : 'shorter'}`;
}

function dbSection(record: ProfileRecord): DbSection | undefined {
  return findSection<DbSection>(record, 'db', ['queries', 'groups', 'totals']);
}
