import { say } from '#phrases';
import type { DbSection } from '../../collectors/db-section.js';
import { findSection } from '../../collectors/define-part.js';
import { shapeOf } from '../../collectors/group-queries.js';
import { type ProfileRecord, timeCategories, type TimeCategory } from '../../model/profile-record.js';
import { describeException } from '../../findings/outcome-findings.js';
import { breakdownOf } from '../../record/spans.js';
import { formatMilliseconds, largestWords, shortPath } from '../../words/format.js';

/** Two records, the one that began first before the other. */
export type RecordPair = readonly [before: ProfileRecord, after: ProfileRecord];

/** A number of both records. */
export interface Change {
  readonly before: number;
  readonly after: number;
}

/** Differences of time below this share of the longer request, or of a millisecond, are not worth a sentence. */
const noticeableShare = 0.1;

/** Returns the time of each kind of work in both records, the largest difference first; without those of no time. */
export function compareParts([before, after]: RecordPair): readonly (Change & {
  readonly category: TimeCategory;
})[] {
  const [was, is] = [breakdownOf(before), breakdownOf(after)];
  return timeCategories
    .map((category) => ({ category, before: was[category], after: is[category] }))
    .filter((part) => part.before + part.after > 0)
    .toSorted((a, b) => Math.abs(b.after - b.before) - Math.abs(a.after - a.before));
}

/** Returns how often both records ran each query, by its shape; the largest difference first. */
export function compareQueries([before, after]: RecordPair): readonly (Change & { readonly sql: string })[] {
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

/** Says what made the difference: a failure, or the kind of work whose time changed most. */
export function describeChange(pair: RecordPair): string {
  const [before, after] = pair;
  const outcome = describeOutcome(pair);
  if (outcome !== undefined) return outcome;
  const delta = after.durationMs - before.durationMs;
  const [largest] = compareParts(pair);
  const isSmall =
    Math.abs(delta) < Math.max(1, noticeableShare * Math.max(before.durationMs, after.durationMs));
  if (isSmall || largest === undefined) return 'Both took about the same time';
  const change = largest.after - largest.before;
  const share = Math.round((100 * change) / delta);
  const values = { what: largestWords[largest.category], share, time: formatMilliseconds(Math.abs(change)) };
  const sentence =
    share > 0 && share <= 100
      ? say('{what} makes {share} % of it', values)
      : change > 0
        ? say('{what} took {time} more', values)
        : say('{what} took {time} less', values);
  return largest.category === 'database' ? sentence + describeQueries(pair) : sentence;
}

function describeOutcome([before, after]: RecordPair): string | undefined {
  const [was, is] = [before.response?.status ?? 0, after.response?.status ?? 0];
  const { exception } = after;
  if (exception !== null && before.exception?.message !== exception.message)
    return describeException(exception);
  if (was === is) return undefined;
  return before.exception === null
    ? say('Answered with {is} instead of {was}', { is, was })
    : say('No longer fails: {is} instead of {was}', { is, was });
}

function describeQueries(pair: RecordPair): string {
  const [was, is] = pair.map((record) => dbSection(record)?.totals.queries ?? 0);
  if (was === undefined || is === undefined || was === is) return '';
  const more = say(': {n} query instead of {was}|: {n} queries instead of {was}', { n: is, was });
  const loops = pair.map((record) => dbSection(record)?.groups.find(({ kind }) => kind === 'n+1'));
  const [before, after] = loops;
  if (after === undefined || after.count <= (before?.count ?? 0)) return more;
  const loop = say(', one of them {n} times', { n: after.count });
  const { callSite } = after;
  return callSite === null
    ? more + loop
    : `${more}${loop}, from ${shortPath(callSite.file)}:${callSite.line}`;
}

/** Says how many times as long the second record took. */
export function describeRatio([before, after]: RecordPair): string {
  const ratio = after.durationMs / before.durationMs;
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
