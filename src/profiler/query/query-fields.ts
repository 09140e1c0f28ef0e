import type { CollectedField } from '../model/section-part.js';
import type { ProfileCondition } from '../model/profile-query.js';

/**
 * What a field takes. `status`: codes and classes · `count`, `ms`: numbers · `since`, `until`: a moment · `name`: a text
 * that is the whole value · `text`: a text that the value contains · `has`: one of `hasWords`.
 */
export type FieldKind = 'status' | 'count' | 'ms' | 'since' | 'until' | 'name' | 'text' | 'has';

/** What the meaning of a query depends on, in addition to its text. */
export interface ParseOptions {
  /** Milliseconds since the epoch, for periods; default the present. */
  readonly now?: number;
  /** The numbers that collectors declare (`Profiler.collected`): fields by their last word, and words of `has:`. */
  readonly collected?: readonly CollectedField[];
}

/** A field of the query language. */
export interface QueryField {
  readonly name: string;
  readonly kind: FieldKind;
  /** Columns of the summary, one of which must pass. */
  readonly columns: readonly string[];
  /** As it may be written. */
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

/** Other words for a field. */
const aliases: Readonly<Record<string, string>> = { time: 'duration', exception: 'error', address: 'ip' };

/** Where a word that names no field is looked for. */
export const anywhere: QueryField = {
  name: '',
  kind: 'text',
  columns: ['url', 'route', 'user', ...errorColumns],
  example: '"full text"',
};

/** Milliseconds from which on a request counts as slow. */
export const slowMs = 1000;

/** All fields: those of every record, and the numbers that collectors declare, by their column and by its last word. */
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

/** A field by its name, another word for it, or a column of a collector (`db.queries`), whether that is known or not. */
export function findQueryField(given: string, fields: readonly QueryField[]): QueryField | undefined {
  const lower = given.toLowerCase();
  const name = Object.hasOwn(aliases, lower) ? aliases[lower] : lower;
  const found = fields.find((field) => field.name.toLowerCase() === name || field.columns.includes(given));
  if (found !== undefined || !/^[a-z][\w-]*\.\w+$/i.test(given)) return found;
  return { name: given, kind: given.endsWith('Ms') ? 'ms' : 'count', columns: [given], example: '' };
}

/** What `has:` takes: each word with its condition. */
export function hasWords(collected: readonly CollectedField[] = []): ReadonlyMap<string, ProfileCondition> {
  const some = (column: string): ProfileCondition => ({
    columns: [column],
    test: { kind: 'missing' },
    isNegated: true,
  });
  const least = (column: string, number: number): ProfileCondition => ({
    columns: [column],
    test: { kind: 'numbers', ranges: [[number, null]] },
  });
  const words = new Map<string, ProfileCondition>([
    ['error', some('errorClass')],
    ['log', least('logs', 1)],
    ['warning', least('warnings', 1)],
    ['slow', least('durationMs', slowMs)],
    ['user', some('user')],
    ['route', some('route')],
    ['parent', some('parent')],
    ['pin', some('mark.pin')],
    ['tag', some('mark.tag')],
    ['note', some('mark.note')],
  ]);
  for (const { column, finding } of collected)
    if (finding !== undefined) words.set(finding.toLowerCase().replaceAll(' ', '-'), least(column, 1));
  return words;
}
