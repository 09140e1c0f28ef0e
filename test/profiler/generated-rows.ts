import fc from 'fast-check';
import type { SegmentRows } from '../../src/profiler/find/find-rows.js';
import { baseColumns, type SummaryInput } from '../../src/profiler/form/summary-columns.js';
import { SummaryWriter } from '../../src/profiler/form/summary-writer.js';
import type { ProfileCondition, ProfileTest } from '../../src/profiler/model/profile-query.js';

export const row: fc.Arbitrary<SummaryInput> = fc.record({
  sequence: fc.constant(1),
  startedAt: fc.integer({ min: 1000, max: 1400 }),
  durationMs: fc.constantFrom(0, 0.5, 2, 40, 1000),
  appMs: fc.constant(0),
  databaseMs: fc.constant(0),
  httpMs: fc.constant(0),
  renderingMs: fc.constant(0),
  state: fc.constant('complete'),
  method: fc.constantFrom('GET', 'POST'),
  origin: fc.constant('http://a.test'),
  target: fc.constantFrom('/', '/blog?x=Y', '/BLOG'),
  status: fc.constantFrom(0, 200, 299, 300, 404, 500, 503),
  clientAddress: fc.constant('::1'),
  route: fc.constantFrom(null, 'home', 'blog_show', ''),
  user: fc.constantFrom(null, 'Ada', 'ada'),
  parent: fc.constant(null),
  trace: fc.constant(null),
  visitor: fc.constant(null),
  exception: fc.constantFrom(null, 'not found'),
  errorClass: fc.constantFrom(null, 'TypeError'),
  errorPlace: fc.constant(null),
  logs: fc.nat(3),
  warnings: fc.nat(2),
  errors: fc.nat(1),
});

export const stored: fc.Arbitrary<SummaryInput[][]> = fc.array(
  fc.array(row, { minLength: 1, maxLength: 4 }),
  { maxLength: 5 },
);

/** Segments, newest first, whose keys count up in the order in which they were written. */
export function segmentsOf(lists: readonly (readonly SummaryInput[])[]): SegmentRows[] {
  let next = 1;
  const segments = lists.map((rows): SegmentRows => {
    const writer = new SummaryWriter(baseColumns);
    for (const one of rows) writer.add(one);
    const sealed = writer.seal('app');
    const keys = rows.map(() => next++);
    const begun = rows.map(({ startedAt }) => Number(startedAt));
    return {
      startedAt: Math.min(...begun),
      closedAt: Math.max(...begun),
      facts: sealed.facts,
      from: 0,
      to: rows.length,
      read: () => ({ keys, directory: sealed.directory }),
    };
  });
  return segments.toReversed();
}

export type Keyed = SummaryInput & { readonly key: number };

export const keyed = (lists: readonly (readonly SummaryInput[])[]): Keyed[] =>
  lists.flat().map((one, at) => ({ ...one, key: at + 1 }));

const numbersTest = fc
  .array(
    fc.tuple(fc.option(fc.constantFrom(0, 1, 200, 404, 1100)), fc.option(fc.constantFrom(1, 299, 500, 1300))),
    {
      minLength: 1,
      maxLength: 2,
    },
  )
  .map((ranges): ProfileTest => ({ kind: 'numbers', ranges }));

const textTest = fc.record({
  kind: fc.constantFrom('is', 'starts', 'contains'),
  texts: fc.array(fc.constantFrom('home', 'BLOG', 'o', '', 'ada', '/b'), { minLength: 1, maxLength: 2 }),
});

const condition: fc.Arbitrary<ProfileCondition> = fc.oneof(
  fc.record({
    columns: fc.subarray(['status', 'durationMs', 'logs', 'startedAt'], { minLength: 1, maxLength: 2 }),
    test: numbersTest,
    isNegated: fc.boolean(),
  }),
  fc.record({
    columns: fc.subarray(['route', 'user', 'path', 'exception', 'method'], { minLength: 1, maxLength: 2 }),
    test: fc.oneof(textTest, fc.constant({ kind: 'missing' } as const)),
    isNegated: fc.boolean(),
  }),
);

export const where: fc.Arbitrary<ProfileCondition[]> = fc.array(condition, { maxLength: 2 });

/** What a condition means, said again and simply. */
export function meets(one: Keyed, { columns, test, isNegated = false }: ProfileCondition): boolean {
  const passed = columns.some((name) => {
    const value = name === 'path' ? String(one.target).replace(/\?.*/, '') : (one[name] ?? null);
    if (test.kind === 'missing') return value === null;
    if (test.kind === 'numbers')
      return test.ranges.some(
        ([least, most]) => Number(value) >= (least ?? -Infinity) && Number(value) <= (most ?? Infinity),
      );
    if (value === null) return false;
    const text = String(value).toLowerCase();
    return test.texts
      .map((wanted) => wanted.toLowerCase())
      .some((wanted) =>
        test.kind === 'is'
          ? text === wanted
          : test.kind === 'starts'
            ? text.startsWith(wanted)
            : text.includes(wanted),
      );
  });
  return passed !== isNegated;
}
