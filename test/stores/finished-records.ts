import fc from 'fast-check';
import { summaryOf, closedAt, type ProfileSummary } from '../../src/profiler/model/profile-summary.js';
import { matches, sortValue } from '../profiler/matches.js';
import { tokenOf } from '../../src/profiler/encoding/token.js';
import type { ProfileCondition, ProfileTest } from '../../src/profiler/model/profile-query.js';
import type { ProfileRecord } from '../../src/profiler/model/profile-record.js';
import type { FinishedRecord } from '../../src/profiler/storage/tables/record-store.js';
import { plain } from '../profiler/plain-record.js';

/** The properties that tests set in a record; all others have plain values. */
export interface RecordFacts {
  readonly id: number;
  readonly origin?: 'app' | 'profiler';
  readonly startedAt?: number;
  readonly durationMs?: number;
  readonly status?: number;
  readonly method?: string;
  readonly path?: string;
  readonly route?: string | null;
  readonly user?: string | null;
  readonly errorClass?: string | null;
  readonly exception?: string | null;
  readonly warnings?: number;
  readonly logs?: number;
  readonly numbers?: Readonly<Record<string, number>>;
}

/** A record with these facts, as the writer passes it to a store. */
export function finished({ id, path = '/', numbers = {}, ...facts }: RecordFacts): FinishedRecord {
  const { startedAt = 1_700_000_000_000 + id, durationMs = 5, origin = 'app' } = facts;
  const record: ProfileRecord = {
    ...plain,
    token: tokenOf(id),
    sequence: id % 1000,
    origin,
    startedAt,
    durationMs,
    request: { ...plain.request, path, target: path, url: `http://a.test${path}` },
  };
  const summary = { ...summaryOf(record, numbers), ...facts, startedAt, durationMs, origin };
  return { record, summary };
}

const word = fc.constantFrom(
  'home',
  'Home',
  'blog_show',
  'blog%',
  'Café',
  'CAFÉ',
  'straße',
  'ΣΑΣ',
  '*[?]',
  'a\\b',
);

/** Records with few distinct values, so that conditions match some of them. */
export const anyFacts: fc.Arbitrary<Omit<RecordFacts, 'id'>> = fc.record({
  startedAt: fc.constantFrom(1000, 1000.25, 2000, 3000.125, 5000),
  durationMs: fc.constantFrom(0, 0.5, 2, 40, 1000),
  status: fc.constantFrom(0, 200, 299, 300, 404, 500, 503),
  method: fc.constantFrom('GET', 'post'),
  path: fc.constantFrom('/', '/blog', '/BLOG/Ä', '/100%_'),
  route: fc.option(word, { nil: null }),
  user: fc.option(fc.constantFrom('Ada', 'ada', 'Ö', 'ö'), { nil: null }),
  errorClass: fc.option(fc.constantFrom('TypeError', 'Fehler'), { nil: null }),
  exception: fc.option(fc.constantFrom('not found', 'Nicht da'), { nil: null }),
  warnings: fc.nat(2),
  logs: fc.nat(3),
  numbers: fc.constantFrom<Record<string, number>>(
    {},
    { 'db.queries': 0 },
    { 'db.queries': 3 },
    { 'db.queries': 7, 'db.ms': 1.5 },
  ),
});

const bound = fc.option(fc.constantFrom(0, 0.5, 1, 3, 40, 299, 500, 1000, 1000.25, 3000));

const test: fc.Arbitrary<ProfileTest> = fc.oneof(
  fc.record({
    kind: fc.constant('numbers' as const),
    ranges: fc.array(fc.tuple(bound, bound), { maxLength: 2 }),
  }),
  fc.record({
    kind: fc.constantFrom('is' as const, 'starts' as const, 'contains' as const),
    texts: fc.array(fc.oneof(word, fc.constantFrom('', 'a', 'É', 'ö', '/b', '%', '500', 'TYPE', 'ß', 'σ')), {
      maxLength: 2,
    }),
  }),
  fc.constant({ kind: 'missing' as const }),
);

/** Conditions on columns of all kinds, and on one that does not exist. */
export const anyConditions: fc.Arbitrary<ProfileCondition[]> = fc.array(
  fc.record({
    columns: fc.uniqueArray(
      fc.constantFrom(
        'status',
        'durationMs',
        'startedAt',
        'route',
        'user',
        'path',
        'url',
        'errorClass',
        'exception',
        'method',
        'warnings',
        'logs',
        'db.queries',
        'db.ms',
        'nothing',
        'mark.note',
        'mark.pin',
      ),
      { minLength: 1, maxLength: 3 },
    ),
    test,
    isNegated: fc.boolean(),
  }),
  { maxLength: 2 },
);

/** The tokens of the summaries that match conditions, in list order. */
export function expectedTokens(
  summaries: readonly ProfileSummary[],
  where: readonly ProfileCondition[],
  sort?: { readonly column: string; readonly isAscending: boolean },
): string[] {
  const rankOf = (summary: ProfileSummary): number =>
    sort === undefined ? closedAt(summary) : sortValue(summary, sort.column);
  const sign = sort?.isAscending === true ? 1 : -1;
  return summaries
    .map((summary, id) => ({ summary, id }))
    .filter(({ summary }) => matches(summary, where))
    .sort((a, b) => sign * (rankOf(a.summary) - rankOf(b.summary)) || b.id - a.id)
    .map(({ summary }) => summary.token);
}

/** The number of summaries by a column's value. */
export function expectedGroups(
  summaries: readonly ProfileSummary[],
  field: 'route' | 'user',
): Map<unknown, number> {
  const groups = new Map<unknown, number>();
  for (const summary of summaries) groups.set(summary[field], (groups.get(summary[field]) ?? 0) + 1);
  return groups;
}
