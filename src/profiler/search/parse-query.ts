import { findNearest } from '#core/coded-error';
import type { ProfileCondition, ProfileSort, ProfileTest } from '../model/profile-query.js';
import {
  anywhere,
  findQueryField,
  hasWords,
  type ParseOptions,
  queryFields,
  type QueryField,
} from './query-fields.js';
import { say } from '#core/phrases';

export type { ParseOptions } from './query-fields.js';

/** One part of a query, and its position in the text. */
export interface QueryTerm {
  readonly from: number;
  readonly to: number;
  /** Field name; empty for free text. */
  readonly field: string;
}

/** An invalid part of a query, and its position in the text. */
export interface QueryProblem {
  readonly from: number;
  readonly to: number;
  readonly words: string;
}

/** A parsed query; without problems, its conditions are complete. */
export interface ParsedQuery {
  /** The conditions, without the parts that have problems. */
  readonly where: readonly ProfileCondition[];
  readonly terms: readonly QueryTerm[];
  readonly problems: readonly QueryProblem[];
}

const maxQueryLength = 2000;
const maxTerms = 50;
const maxValues = 50;

/** Part of the query text up to the next space, split into values at commas outside quotation marks. */
interface Chunk {
  readonly from: number;
  readonly to: number;
  readonly values: readonly TermValue[];
  /** The entire part as one text, without enclosing quotation marks. */
  readonly raw: string;
  /** An unclosed quotation mark's offset. */
  readonly open: number | undefined;
}

/**
 * Parses the number by which a list is sorted, largest first: `duration`, `queries`, `started` or a column; smallest
 * first with the prefix `-`. Undefined if it is not a number of a record.
 */
export function parseSort(text: string, { collected }: ParseOptions = {}): ProfileSort | undefined {
  const isAscending = text.startsWith('-');
  const name = isAscending ? text.slice(1) : text;
  if (name === 'started' || name === 'startedAt') return { column: 'startedAt', isAscending };
  const field = findQueryField(name, queryFields(collected));
  const [column] = field?.columns ?? [];
  const isNumber = field?.kind === 'status' || field?.kind === 'count' || field?.kind === 'ms';
  return isNumber && column !== undefined ? { column, isAscending } : undefined;
}

/**
 * Parses a query: parts separated by spaces, all of which must match. A part is `field:value`, or text to search in
 * URL, route, user and error; a `-` prefix negates it. Commas separate alternative values; quote values with spaces or
 * commas. `status:>=500 route:blog_* time:>200ms -path:/health after:10m "full text"`. Anything invalid becomes a
 * problem instead of a condition.
 */
export function parseQuery(text: string, options: ParseOptions = {}): ParsedQuery {
  const fields = queryFields(options.collected);
  const terms: QueryTerm[] = [];
  const where: ProfileCondition[] = [];
  const problems: QueryProblem[] = [];
  const end = Math.min(text.length, maxQueryLength);
  if (text.length > end) {
    const words = say('A query has at most {n} characters.', { n: end });
    problems.push({ from: end, to: text.length, words });
  }
  for (let at = skipSpace(text, 0); at < end;) {
    const isNegated = text[at] === '-' && !/\s/.test(text[at + 1] ?? ' ');
    const start = isNegated ? at + 1 : at;
    const name = fieldNameAt(text, start);
    const chunk = readChunk(text, name === '' ? start : start + name.length + 1);
    const { to } = chunk;
    if (terms.length >= maxTerms) {
      problems.push({ from: at, to, words: say('A query has at most {n} parts.', { n: maxTerms }) });
      break;
    }
    const field = name === '' ? anywhere : findQueryField(name, fields);
    terms.push({ from: at, to, field: field?.name ?? name });
    const read =
      field === undefined
        ? { from: start, to: start + name.length, words: unknownWords(name, fields) }
        : readTerm(field, chunk, options);
    if ('words' in read) problems.push(read);
    else where.push({ ...read, isNegated: (read.isNegated === true) !== isNegated });
    at = skipSpace(text, to);
  }
  return { where, terms, problems };
}

/**
 * Formats `field:value`, quoting the value if necessary. Values that start with `//` are quoted, because the name would
 * look like a URL scheme.
 */
export function formatTerm(field: string, value: string): string {
  const isBare = /^(?!\/\/)[^\s",*=!<>-][^\s",*]*$/.test(value);
  return `${field}:${isBare ? value : `"${value.replace(/["\\]/g, '\\$&')}"`}`;
}

function readTerm(
  field: QueryField,
  { from, to, values, open, raw }: Chunk,
  options: ParseOptions,
): ProfileCondition | QueryProblem {
  if (open !== undefined) return { from: open, to, words: 'These quotation marks are never closed.' };
  if (field === anywhere) return { columns: anywhere.columns, test: { kind: 'contains', texts: [raw] } };
  if (values.length > maxValues) return { from, to, words: say('At most {n} values.', { n: maxValues }) };
  const [first, ...others] = values;
  const isInverted = first?.isQuoted === false && first.text.startsWith('!');
  const bare = isInverted ? [{ ...first, text: first.text.slice(1) }, ...others] : values;
  const read = readValues(field, bare, options);
  if (typeof read === 'string') return { from: Math.min(from, to - 1), to, words: read };
  return { ...read, isNegated: (read.isNegated === true) !== isInverted };
}

/** Returns the field name before a colon, unless it is a URL scheme; empty if there is none. */
function fieldNameAt(text: string, at: number): string {
  return /^([a-z_.+-][\w.+-]{0,59}):(?!\/\/)/i.exec(text.slice(at, at + 64))?.[1] ?? '';
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && /\s/.test(text[at] ?? '')) at++;
  return at;
}

/** A value, quoted or bare, up to the next space or comma. */
const valueForm = /"((?:[^"\\]|\\[^])*)"([^\s,]*)|[^\s,]*/y;

function readChunk(text: string, from: number): Chunk {
  const values: TermValue[] = [];
  let at = from;
  do {
    valueForm.lastIndex = at;
    const [whole = '', quoted, rest = ''] = valueForm.exec(text) ?? [];
    const isQuoted = quoted !== undefined;
    if (!isQuoted && whole.startsWith('"')) return { from, to: text.length, values, raw: '', open: at };
    values.push({ text: isQuoted ? quoted.replace(/\\(["\\])/g, '$1') + rest : whole, isQuoted });
    at += whole.length + 1;
  } while (text[at - 1] === ',');
  const to = at - 1;
  const [first] = values;
  const raw = values.length === 1 && first?.isQuoted === true ? first.text : text.slice(from, to);
  return { from, to, values, raw, open: undefined };
}

function unknownWords(name: string, fields: readonly QueryField[]): string {
  const names = fields.map((field) => field.name);
  const lower = name.toLowerCase();
  const isBeginning = (one: string): boolean => lower.length >= 3 && one.toLowerCase().startsWith(lower);
  const near = names.find(isBeginning) ?? findNearest(lower, names)[0];
  return near === undefined
    ? `There is no field “${name}”. Fields: ${names.join(', ')}. Put quotes around text that contains a colon.`
    : `There is no field “${name}”. Did you mean “${near}”?`;
}

/** A value of a term, without its quotation marks. */
interface TermValue {
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

/** Accepted values in words, for error messages. */
const expectedValues: Readonly<Record<QueryField['kind'], string>> = {
  status: 'a code (404), a class (4xx), a comparison (>=500) or a range (400..499)',
  count: 'a number (10), a comparison (>10) or a range (10..20)',
  ms: 'a duration (200ms, 1.5s), a comparison (<50ms) or a range (100ms..1s)',
  since: 'a period back from now (10m, 2h, 1d), a time (14:30) or a date (2026-01-31, 2026-01-31T14:30)',
  until: 'a period back from now (10m, 2h, 1d), a time (14:30) or a date (2026-01-31, 2026-01-31T14:30)',
  name: 'a name, its beginning followed by * (blog_*), or * for any',
  text: 'a text; with * at its end, how the value begins; with = in front, the whole value',
  has: 'one of its words',
  finding: 'the kind of a finding (n+1, not-awaited), its beginning followed by * (not-*), or * for any',
};

/** Converts a field's values to a condition; if one is invalid, returns a message that explains it. */
function readValues(
  field: QueryField,
  values: readonly TermValue[],
  options: ParseOptions,
): ProfileCondition | string {
  if (field.kind === 'has') return readHas(values, options);
  if (values.some(({ text, isQuoted }) => text === '' && !isQuoted))
    return `Use ${expectedValues[field.kind]}.`;
  const test =
    field.kind === 'finding'
      ? findingTest(values)
      : field.kind === 'name' || field.kind === 'text'
        ? textTest(values, field.kind)
        : numbersTest(field.kind, values, options);
  if (test === undefined) return `Use ${expectedValues[field.kind]}.`;
  const { columns } = field;
  return test === 'any' ? { columns, test: { kind: 'missing' }, isNegated: true } : { columns, test };
}

function readHas(values: readonly TermValue[], { collected }: ParseOptions): ProfileCondition | string {
  const words = hasWords(collected);
  const condition = values.length === 1 ? words.get((values[0]?.text ?? '').toLowerCase()) : undefined;
  return condition ?? `Use one of ${[...words.keys()].join(', ')}; several are given as has:a has:b.`;
}

/** The findings column is JSON, in which a kind follows its property name; a finding's text cannot contain that. */
function findingTest(values: readonly TermValue[]): ProfileTest | 'any' | undefined {
  const test = textTest(values, 'name');
  if (test === undefined || test === 'any') return test;
  if (test.kind !== 'is' && test.kind !== 'starts') return undefined;
  const end = test.kind === 'is' ? '"' : '';
  return {
    kind: 'contains',
    texts: test.texts.map((kind) => `"kind":${JSON.stringify(kind).slice(0, -1)}${end}`),
  };
}

type NumberKind = 'status' | 'count' | 'ms' | 'since' | 'until';

function numbersTest(
  kind: NumberKind,
  values: readonly TermValue[],
  { now = Date.now() }: ParseOptions,
): ProfileTest | undefined {
  const ranges: Range[] = [];
  for (const { text } of values) {
    const isMoment = kind === 'since' || kind === 'until';
    const range = isMoment ? momentRange(text, kind, now) : numberRange(text.toLowerCase(), kind);
    if (range === undefined) return undefined;
    ranges.push(range);
  }
  return { kind: 'numbers', ranges };
}

/** Parses `4xx`, `40x`, `>5`, `5`, `5..10`, `5..` and `..10`. A single duration is a lower bound. */
function numberRange(text: string, kind: 'status' | 'count' | 'ms'): Range | undefined {
  const [, first, digits] = (kind === 'status' && /^([1-9])(xx|\dx)$/.exec(text)) || [];
  if (first !== undefined) {
    const least = Number(text.replaceAll('x', '0'));
    return [least, least + (digits === 'xx' ? 99 : 9)];
  }
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
  // Distance to the next value: durations are precise to 0.1 µs.
  const next = kind === 'ms' ? 0.0001 : 1;
  if (sign.startsWith('>')) return [sign === '>=' ? number : number + next, null];
  if (sign.startsWith('<')) return [null, sign === '<=' ? number : number - next];
  return [number, number];
}

function numberOf(text: string, kind: 'status' | 'count' | 'ms'): number | undefined {
  const match = /^(\d{1,12}(?:\.\d{1,6})?)(us|ms|s|m|)$/.exec(text);
  const unit = unitMs[match?.[2] ?? ''];
  if (match === null || unit === undefined) return undefined;
  if (kind !== 'ms') return /^\d{1,12}$/.test(text) ? Number(text) : undefined;
  return Number(match[1]) * unit;
}

function momentRange(text: string, kind: 'since' | 'until', now: number): Range | undefined {
  const moment = momentOf(text, now);
  if (moment === undefined) return undefined;
  return kind === 'since' ? [moment, null] : [null, moment];
}

/** Parses `10m` (ago), `14:30` (today), a date, or a date with a time, in local time. */
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
