import { say } from '#core/phrases';
import type { DbSection } from '../../sections/database/queries.js';
import { findSection } from '../../sections/define-section.js';
import { shapeOf } from '../../sections/database/repeated.js';
import { type ProfileRecord } from '../../model/profile-record.js';
import {
  timeCategories,
  type TimeCategory,
  breakdownOf,
  categoryWords,
  largestWords,
} from '../../model/time-breakdown.js';
import { from, locationTextOf, type RecordFinding } from '../../sections/finding.js';
import { findRecordedError } from '../../model/recorded-error.js';
import { describeException } from '../../sections/exception/findings.js';
import type { Block } from '../../view/block.js';
import { furtherItems, line, section } from '../../view/make-blocks.js';
import { type Column, column, table } from '../../view/make-tables.js';
import { muted } from '../../view/make-values.js';
import { formatCount, formatMilliseconds } from '../../model/formatting.js';

/** Two records, the one that began first before the other. */
export type RecordPair = readonly [before: ProfileRecord, after: ProfileRecord];

/** A number of both records. */
interface Change {
  readonly before: number;
  readonly after: number;
}

/** Differences of time below this share of the longer request, or of a millisecond, are not worth a sentence. */
const noticeableShare = 0.1;

interface Part extends Change {
  readonly category: TimeCategory;
}

interface QueryChange extends Change {
  readonly sql: string;
}

/** Returns the time of each kind of work in both records, the largest difference first; without those of no time. */
function compareParts([before, after]: RecordPair): readonly Part[] {
  const [was, is] = [breakdownOf(before), breakdownOf(after)];
  return timeCategories
    .map((category) => ({ category, before: was[category], after: is[category] }))
    .filter((part) => part.before + part.after > 0)
    .toSorted((a, b) => Math.abs(b.after - b.before) - Math.abs(a.after - a.before));
}

/** Returns how often both records ran each query, by its shape; the largest difference first. */
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

const maxQueries = 12;
const maxSqlLength = 300;

/** Returns where the difference between two records is: the time of each kind of work, and the queries. */
export function changeBlocks(pair: RecordPair): readonly Block[] {
  const parts = compareParts(pair);
  const longest = Math.max(...parts.map(({ before, after }) => Math.max(before, after)), 0.001);
  const [before, after, difference] = changeColumns(formatMilliseconds);
  const part = column.plain<Part>('Part', ({ category }) => ({ text: categoryWords[category], category }));
  const bar = column.minor<Part>('Change', (one) => ({
    text: describeRatio(one.before, one.after),
    category: one.category,
    change: { before: one.before / longest, after: one.after / longest },
  }));
  const title = 'Where the difference is';
  const columns = [part, before, after, { ...bar, grow: true }, difference];
  return [
    section(title, table(title, parts, { columns }), { hint: 'largest first' }),
    ...queryBlocks(compareQueries(pair)),
  ];
}

function queryBlocks(queries: readonly QueryChange[]): readonly Block[] {
  if (queries.length === 0) return [];
  const sum = (side: keyof Change): number => queries.reduce((total, query) => total + query[side], 0);
  const shown = table('Queries', queries.slice(0, maxQueries), {
    columns: [
      column.wide<QueryChange>('Query', ({ sql }) => ({
        text: sql.slice(0, maxSqlLength),
        mono: true,
        isLine: true,
      })),
      ...changeColumns((count) => (count === 0 ? '' : String(count)), 2),
    ],
  });
  const hint = `${formatCount(sum('before'))} before, ${formatCount(sum('after'))} after`;
  const words = '{n} more in the panels of the records.';
  return [section('Queries', [shown, furtherItems(queries.length - maxQueries, words, line)], { hint })];
}

/** The columns of a number of both records, and of its difference: in red if it rose by more than `tolerated`. */
function changeColumns(
  format: (value: number) => string,
  tolerated = Infinity,
): readonly [Column<Change>, Column<Change>, Column<Change>] {
  return [
    column.number<Change>('Before', ({ before }) => muted(format(before))),
    column.number<Change>('After', ({ after }) => muted(format(after))),
    column.number<Change>('Difference', ({ before, after }) => {
      if (before === after) return muted('same');
      const text = `${after < before ? '−' : '+'}${format(Math.abs(after - before))}`;
      return after - before > tolerated ? { text, tone: 'error' } : text;
    }),
  ];
}

/** Says what made the difference: a failure, or the kind of work whose time changed most. */
export function describeChange(pair: RecordPair): RecordFinding {
  const [before, after] = pair;
  const info = (text: string, panel?: string): RecordFinding => ({
    level: 'info',
    text,
    ...(panel !== undefined && { target: { panel } }),
  });
  const [wasThrown, isThrown] = [findRecordedError(before), findRecordedError(after)];
  if (isThrown !== undefined && wasThrown?.message !== isThrown.message)
    return info(describeException(after), 'exception');
  const [was, is] = [before.response?.status ?? 0, after.response?.status ?? 0];
  if (was !== is)
    return info(
      `${before.exception === null ? 'Answered with' : 'No longer fails:'} ${is} instead of ${was}`,
    );
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

/** Says how many times as long the second of two times is. */
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
