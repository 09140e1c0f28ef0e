import { findNearest } from '#coded-error';
import type { ProfileCondition } from '../model/profile-query.js';
import { anywhere, findQueryField, type ParseOptions, queryFields, type QueryField } from './query-fields.js';
import { type TermValue, readValues } from './read-value.js';
import { say } from '#phrases';

export type { ParseOptions } from './query-fields.js';

/** One part of a query, and its place in the text. */
export interface QueryTerm {
  readonly from: number;
  readonly to: number;
  /** Name of the field; empty for free text. */
  readonly field: string;
}

/** An invalid part of a query, and its place in the text. */
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
  /** Offset of an unclosed quotation mark. */
  readonly open: number | undefined;
}

/**
 * Parses a query: parts separated by spaces, all of which must match. A part is `field:value`, or a text to search in
 * URL, route, user and error; prefix it with `-` to negate it. Commas separate alternative values; put a value with
 * spaces or commas in quotation marks. `status:>=500 route:blog_* time:>200ms -path:/health after:10m "full text"`.
 * Anything invalid becomes a problem instead of a condition.
 */
export function parseQuery(text: string, options: ParseOptions = {}): ParsedQuery {
  const fields = queryFields(options.collected);
  const terms: QueryTerm[] = [];
  const found: (ProfileCondition | QueryProblem)[] = [];
  if (text.length > maxQueryLength)
    found.push({
      from: maxQueryLength,
      to: text.length,
      words: say('A query has at most {n} characters.', { n: maxQueryLength }),
    });
  const end = Math.min(text.length, maxQueryLength);
  for (let at = skipSpace(text, 0); at < end;) {
    const isNegated = text[at] === '-' && !/\s/.test(text[at + 1] ?? ' ');
    const start = isNegated ? at + 1 : at;
    const name = fieldNameAt(text, start);
    const chunk = readChunk(text, name === undefined ? start : start + name.length + 1);
    if (terms.length >= maxTerms) {
      found.push({ from: at, to: chunk.to, words: say('A query has at most {n} parts.', { n: maxTerms }) });
      break;
    }
    const field = name === undefined ? anywhere : (findQueryField(name, fields) ?? name);
    terms.push({ from: at, to: chunk.to, field: typeof field === 'string' ? field : field.name });
    found.push(readTerm({ field, chunk, isNegated, start }, { fields, ...options }));
    at = skipSpace(text, chunk.to);
  }
  const where = found.flatMap((one) => ('test' in one ? [one] : []));
  return { where, terms, problems: found.flatMap((one) => ('words' in one ? [one] : [])) };
}

/** Formats `field:value`, quoting the value if necessary. Values that start with `//` are quoted, as the name would be a URL scheme. */
export function formatTerm(field: string, value: string): string {
  return /^(?!\/\/)[^\s",*=!<>-][^\s",*]*$/.test(value) ? `${field}:${value}` : `${field}:${quote(value)}`;
}

function quote(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}

function readTerm(
  term: {
    /** The field, or its name if it does not exist. */
    readonly field: QueryField | string;
    readonly chunk: Chunk;
    readonly isNegated: boolean;
    readonly start: number;
  },
  options: ParseOptions & { readonly fields: readonly QueryField[] },
): ProfileCondition | QueryProblem {
  const { field, chunk, isNegated, start } = term;
  const { from, to, values, open, raw } = chunk;
  if (typeof field === 'string')
    return { from: start, to: start + field.length, words: unknownWords(field, options.fields) };
  if (open !== undefined) return { from: open, to, words: 'These quotation marks never end.' };
  if (field === anywhere)
    return { columns: anywhere.columns, test: { kind: 'contains', texts: [raw] }, isNegated };
  if (values.length > maxValues) return { from, to, words: say('At most {n} values.', { n: maxValues }) };
  const [first, ...others] = values;
  const isInverted = first?.isQuoted === false && first.text.startsWith('!');
  const bare = isInverted ? [{ ...first, text: first.text.slice(1) }, ...others] : values;
  const read = readValues(field, bare, options);
  if (typeof read === 'string') return { from: Math.min(from, to - 1), to, words: read };
  return { ...read, isNegated: (read.isNegated ?? false) !== (isNegated !== isInverted) };
}

/** Returns the field name before a colon, unless it is a URL scheme. */
function fieldNameAt(text: string, at: number): string | undefined {
  const name = /^([\w.+-]{1,60}):(?!\/\/)/.exec(text.slice(at, at + 64))?.[1];
  return name === undefined || /^\d/.test(name) ? undefined : name;
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
    ? say('There is no field “{name}”. Fields: {fields}. Put quotes around text that contains a colon.', {
        name,
        fields: names.join(', '),
      })
    : say('There is no field “{name}”. Did you mean “{near}”?', { name, near });
}
