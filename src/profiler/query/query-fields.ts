import type { CollectedField } from '../model/section-part.js';
import type { ProfileCondition } from '../model/profile-query.js';

/**
 * Kind of values that a field accepts. `status`: codes and classes · `count`, `ms`: numbers · `since`, `until`: a point in
 * time · `name`: the entire value · `text`: a part of the value · `has`: one of `hasWords`.
 */
export type FieldKind = 'status' | 'count' | 'ms' | 'since' | 'until' | 'name' | 'text' | 'has';

/** Context on which the meaning of a query depends. */
export interface ParseOptions {
  /** Current time for periods, in milliseconds since the epoch; default `Date.now()`. */
  readonly now?: number;
  /** The numbers that collectors declare (`Profiler.collected`): they add fields, and words of `has:`. */
  readonly collected?: readonly CollectedField[];
}

/** A field of the query language. */
export interface QueryField {
  readonly name: string;
  readonly kind: FieldKind;
  /** Columns of the summary, one of which must pass. */
  readonly columns: readonly string[];
  /** Example of a term. */
  readonly example: string;
}

const errorColumns = ['exception', 'errorClass', 'errorPlace'];

const baseFields: readonly QueryField[] = [
  { name: 'status', kind: 'status', columns: ['status'], example: 'status:>=500' },
  { name: 'method', kind: 'name', columns: ['method'], example: 'method:POST' },
  { name: 'path', kind: 'text', columns: ['path'], example: 'path:/api*' },
  { name: 'url', kind: 'text', columns: ['url'], example: 'url:"?page=2"' },
  { name: 'route', kind: 'name', columns: ['route'], example: 'route:blog_*' },
  { name: 'user', kind: 'name', columns: ['user'], example: 'user:reader' },
  { name: 'ip', kind: 'text', columns: ['clientAddress'], example: 'ip:127.0.0.1' },
  { name: 'duration', kind: 'ms', columns: ['durationMs'], example: 'duration:>200ms' },
  { name: 'after', kind: 'since', columns: ['startedAt'], example: 'after:10m' },
  { name: 'before', kind: 'until', columns: ['startedAt'], example: 'before:2026-01-31T12:00' },
  { name: 'has', kind: 'has', columns: [], example: 'has:error' },
  { name: 'error', kind: 'text', columns: errorColumns, example: 'error:"not found"' },
  { name: 'class', kind: 'name', columns: ['errorClass'], example: 'class:TypeError' },
  { name: 'place', kind: 'name', columns: ['errorPlace'], example: 'place:src/blog.ts:12' },
  { name: 'logs', kind: 'count', columns: ['logs'], example: 'logs:>100' },
  { name: 'warnings', kind: 'count', columns: ['warnings'], example: 'warnings:>0' },
  { name: 'errors', kind: 'count', columns: ['errors'], example: 'errors:>0' },
  { name: 'state', kind: 'name', columns: ['state'], example: 'state:aborted' },
  { name: 'trace', kind: 'name', columns: ['trace'], example: 'trace:*' },
  { name: 'visitor', kind: 'name', columns: ['visitor'], example: 'visitor:*' },
  { name: 'tag', kind: 'name', columns: ['mark.tag'], example: 'tag:checkout' },
  { name: 'note', kind: 'text', columns: ['mark.note'], example: 'note:"later"' },
  { name: 'parent', kind: 'name', columns: ['parent'], example: '-parent:*' },
];

/** Alternative names of fields. */
const aliases: Readonly<Record<string, string>> = { time: 'duration', exception: 'error', address: 'ip' };

/** Pseudo-field for free text. */
export const anywhere: QueryField = {
  name: '',
  kind: 'text',
  columns: ['url', 'route', 'user', ...errorColumns],
  example: '"full text"',
};

/** A request that takes at least this many milliseconds counts as slow. */
export const slowMs = 1000;

/** Returns all fields: the base fields and those of collectors, named by the last word of the column if that is unambiguous. */
export function queryFields(collected: readonly CollectedField[] = []): readonly QueryField[] {
  const numbers = collected.map(({ column, kind }): QueryField => {
    const short = column.slice(column.lastIndexOf('.') + 1);
    const isFree =
      !baseFields.some(({ name }) => name === short.toLowerCase()) &&
      collected.filter((other) => other.column.endsWith(`.${short}`)).length === 1;
    const name = isFree ? short : column;
    return { name, kind, columns: [column], example: `${name}:>${kind === 'ms' ? '50ms' : 10}` };
  });
  return [...baseFields, ...numbers];
}

/** Finds a field by name, alias or column. A well-formed column of a collector (`db.queries`) is accepted even if it is unknown. */
export function findQueryField(given: string, fields: readonly QueryField[]): QueryField | undefined {
  const lower = given.toLowerCase();
  const name = Object.hasOwn(aliases, lower) ? aliases[lower] : lower;
  const found = fields.find((field) => field.name.toLowerCase() === name || field.columns.includes(given));
  if (found !== undefined || !/^[a-z][\w-]*\.\w+$/i.test(given)) return found;
  return { name: given, kind: given.endsWith('Ms') ? 'ms' : 'count', columns: [given], example: '' };
}

/** Returns the words that `has:` accepts, with their conditions. */
export function hasWords(collected: readonly CollectedField[] = []): ReadonlyMap<string, ProfileCondition> {
  const present = (column: string): ProfileCondition => ({
    columns: [column],
    test: { kind: 'missing' },
    isNegated: true,
  });
  const atLeast = (column: string, number: number): ProfileCondition => ({
    columns: [column],
    test: { kind: 'numbers', ranges: [[number, null]] },
  });
  const words = new Map<string, ProfileCondition>([
    ['error', present('errorClass')],
    ['log', atLeast('logs', 1)],
    ['warning', atLeast('warnings', 1)],
    ['slow', atLeast('durationMs', slowMs)],
    ['user', present('user')],
    ['route', present('route')],
    ['parent', present('parent')],
    ['pin', present('mark.pin')],
    ['tag', present('mark.tag')],
    ['note', present('mark.note')],
  ]);
  for (const { column, finding } of collected)
    if (finding !== undefined) words.set(finding.toLowerCase().replaceAll(' ', '-'), atLeast(column, 1));
  return words;
}
