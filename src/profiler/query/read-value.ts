import type { ProfileCondition, ProfileTest } from '../model/profile-query.js';
import { hasWords, type ParseOptions, type QueryField } from './query-fields.js';
import { say } from '#phrases';

/** A value of a term, without its quotation marks. */
export interface TermValue {
  readonly text: string;
  readonly isQuoted: boolean;
}

type Range = readonly [least: number | null, most: number | null];

const unitMs: Readonly<Record<string, number>> = { '': 1, us: 0.001, ms: 1, s: 1000, m: 60_000 };
const periodMs: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** Descriptions of the accepted values, for error messages. */
const expectedValues: Readonly<Record<QueryField['kind'], string>> = {
  status: 'a code (404), a class (4xx), a comparison (>=500) or a range (400..499)',
  count: 'a number (10), a comparison (>10) or a range (10..20)',
  ms: 'a duration (200ms, 1.5s), a comparison (<50ms) or a range (100ms..1s)',
  since: 'a period back from now (10m, 2h, 1d), a time (14:30) or a date (2026-01-31, 2026-01-31T14:30)',
  until: 'a period back from now (10m, 2h, 1d), a time (14:30) or a date (2026-01-31, 2026-01-31T14:30)',
  name: 'a name, its beginning with * behind (blog_*), or * for any',
  text: 'a text; * at its end where the value begins with it, = in front where it is the whole value',
  has: 'one of its words',
};

/** Converts the values of a field to a condition; if one is invalid, returns a message that explains it. */
export function readValues(
  field: QueryField,
  values: readonly TermValue[],
  options: ParseOptions,
): ProfileCondition | string {
  if (field.kind === 'has') return readHas(values, options);
  if (values.some(({ text, isQuoted }) => text === '' && !isQuoted))
    return say('Use {form}.', { form: expectedValues[field.kind] });
  const test =
    field.kind === 'name' || field.kind === 'text'
      ? textTest(values, field.kind)
      : numbersTest(field.kind, values, options);
  if (test === undefined) return say('Use {form}.', { form: expectedValues[field.kind] });
  const { columns } = field;
  return test === 'any' ? { columns, test: { kind: 'missing' }, isNegated: true } : { columns, test };
}

function readHas(values: readonly TermValue[], { collected }: ParseOptions): ProfileCondition | string {
  const words = hasWords(collected);
  const condition = values.length === 1 ? words.get((values[0]?.text ?? '').toLowerCase()) : undefined;
  return (
    condition ??
    say('Use one of {words}; several are given as has:a has:b.', { words: [...words.keys()].join(', ') })
  );
}

function numbersTest(
  kind: 'status' | 'count' | 'ms' | 'since' | 'until',
  values: readonly TermValue[],
  { now = Date.now() }: ParseOptions,
): ProfileTest | undefined {
  const ranges: Range[] = [];
  for (const { text } of values) {
    const range =
      kind === 'since' || kind === 'until'
        ? momentRange(momentOf(text, now), kind)
        : (statusClass(text, kind) ?? numberRange(text.toLowerCase(), kind));
    if (range === undefined) return undefined;
    ranges.push(range);
  }
  return { kind: 'numbers', ranges };
}

/** Parses `4xx` and `40x`. */
function statusClass(text: string, kind: string): Range | undefined {
  const match = kind === 'status' ? /^([1-9])(xx|\dx)$/i.exec(text) : null;
  if (match === null) return undefined;
  const least = Number(text.toLowerCase().replaceAll('x', '0'));
  return [least, least + (match[2]?.toLowerCase() === 'xx' ? 99 : 9)];
}

/** Parses `>5`, `5`, `5..10`, `5..` and `..10`. A single duration is a lower bound. */
function numberRange(text: string, kind: 'status' | 'count' | 'ms'): Range | undefined {
  const compared = /^(>=|<=|>|<|=)(.+)$/.exec(text);
  if (compared !== null) return comparedRange(compared[1] ?? '', numberOf(compared[2] ?? '', kind), kind);
  const [from = '', to, ...more] = text.split('..');
  if (more.length > 0 || text === '..') return undefined;
  const least = from === '' && to !== undefined ? null : numberOf(from, kind);
  if (to === undefined) return least === undefined ? undefined : [least, kind === 'ms' ? null : least];
  const most = to === '' ? null : numberOf(to, kind);
  return least === undefined || most === undefined ? undefined : [least, most];
}

function comparedRange(sign: string, number: number | undefined, kind: string): Range | undefined {
  if (number === undefined) return undefined;
  // Distance to the next representable number: durations have a precision of 0.1 µs.
  const next = kind === 'ms' ? 0.0001 : 1;
  switch (sign) {
    case '>':
      return [number + next, null];
    case '>=':
      return [number, null];
    case '<':
      return [null, number - next];
    case '<=':
      return [null, number];
    default:
      return [number, number];
  }
}

function numberOf(text: string, kind: 'status' | 'count' | 'ms'): number | undefined {
  const match = /^(\d{1,12}(?:\.\d{1,6})?)(us|ms|s|m|)$/.exec(text);
  const unit = unitMs[match?.[2] ?? ''];
  if (match === null || unit === undefined) return undefined;
  if (kind !== 'ms') return /^\d{1,12}$/.test(text) ? Number(text) : undefined;
  return Number(match[1]) * unit;
}

function momentRange(moment: number | undefined, kind: 'since' | 'until'): Range | undefined {
  if (moment === undefined) return undefined;
  return kind === 'since' ? [moment, null] : [null, moment];
}

/** Parses `10m` (ago), `14:30` (today), a date, or a date with a time, in local time. Returns milliseconds since the epoch. */
function momentOf(text: string, now: number): number | undefined {
  const period = /^(\d{1,6})([smhdw])$/.exec(text);
  if (period !== null) return now - Number(period[1]) * (periodMs[period[2] ?? ''] ?? 0);
  if (/^\d{12,14}$/.test(text)) return Number(text);
  const today = new Date(now - new Date(now).getTimezoneOffset() * 60_000).toISOString().slice(0, 10);
  const full = /^\d\d:\d\d(?::\d\d)?$/.test(text) ? `${today}T${text}` : text.replace(' ', 'T');
  if (!/^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)?)?$/i.test(full))
    return undefined;
  const moment = Date.parse(full.length === 10 ? `${full}T00:00` : full);
  return Number.isNaN(moment) ? undefined : moment;
}

/** Returns `any` for `*`, and undefined if the values cannot be combined in one test. */
function textTest(values: readonly TermValue[], kind: 'name' | 'text'): ProfileTest | 'any' | undefined {
  if (values.length === 1 && values[0]?.text === '*' && !values[0].isQuoted) return 'any';
  const tests = values.map((value) => readText(value, kind));
  const [first] = tests;
  if (first === undefined || tests.some((test) => test === undefined || test.kind !== first.kind))
    return undefined;
  return { kind: first.kind, texts: tests.flatMap((test) => test?.text ?? []) };
}

function readText(
  { text, isQuoted }: TermValue,
  kind: 'name' | 'text',
): { kind: 'is' | 'starts' | 'contains'; text: string } | undefined {
  const usual = kind === 'name' ? 'is' : 'contains';
  if (isQuoted) return { kind: usual, text };
  if (text.startsWith('=')) return text.length > 1 ? { kind: 'is', text: text.slice(1) } : undefined;
  const middle = text.replace(/^\*|\*$/g, '');
  if (middle === '' || middle.includes('*')) return undefined;
  if (text.startsWith('*')) return text.endsWith('*') ? { kind: 'contains', text: middle } : undefined;
  return { kind: text.endsWith('*') ? 'starts' : usual, text: middle };
}
