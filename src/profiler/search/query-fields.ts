import type { CollectedField } from '../sections/section.js';
import type { ProfileCondition } from '../model/profile-query.js';
import { type ListTerm, summaryFields, termsOf } from '../model/profile-summary.js';

/** Context on which a query's meaning depends. */
export interface ParseOptions {
  /** Current time for periods, in milliseconds since the epoch. Default `Date.now()`. */
  readonly now?: number;
  /** Numbers declared by sections (`Profiler.collected`), which add fields, and words after `has:`. */
  readonly collected?: readonly CollectedField[];
}

export interface QueryField extends ListTerm {
  /** Summary columns, at least one of which must pass. */
  readonly columns: readonly string[];
}

/** Fields from columns, then from marks, and `has`. */
const baseFields: readonly QueryField[] = [
  ...fieldsOfColumns(),
  { name: 'note', kind: 'text', columns: ['mark.note'], example: 'note:"later"' },
  { name: 'finding', kind: 'finding', columns: ['findings'], example: 'finding:not-awaited' },
  { name: 'has', kind: 'has', columns: [], example: 'has:error' },
];

function fieldsOfColumns(): Iterable<QueryField> {
  const fields = new Map<string, QueryField>();
  for (const [column, { search }] of summaryFields)
    for (const term of termsOf(search))
      fields.set(term.name, { ...term, columns: [...(fields.get(term.name)?.columns ?? []), column] });
  return fields.values();
}

const aliases: Readonly<Record<string, string>> = { time: 'duration', exception: 'error', address: 'ip' };

/** Pseudo-field for free text. */
export const anywhere: QueryField = {
  name: '',
  kind: 'text',
  columns: ['url', 'route', 'user', 'errorClass', 'exception', 'errorLocation'],
  example: '"full text"',
};

/** Time to respond from which a request counts as slow, in milliseconds. */
export const slowMs = 1000;

/**
 * Returns all fields: the base fields and the sections' fields, named by the last word of the column if that is
 * unambiguous.
 */
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

/** Finds a field by name, alias or column. A section's well-formed column (`db.queries`) is accepted even if unknown. */
export function findQueryField(given: string, fields: readonly QueryField[]): QueryField | undefined {
  const lower = given.toLowerCase();
  const name = Object.hasOwn(aliases, lower) ? aliases[lower] : lower;
  const found = fields.find((field) => field.name.toLowerCase() === name || field.columns.includes(given));
  if (found !== undefined || !/^[a-z][\w-]*\.\w+$/i.test(given)) return found;
  return { name: given, kind: given.endsWith('Ms') ? 'ms' : 'count', columns: [given], example: '' };
}

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
    ['node-warning', atLeast('nodeWarnings', 1)],
    ['slow', atLeast('answerMs', slowMs)],
    ['user', present('user')],
    ['route', present('route')],
    ['pin', present('mark.pin')],
    ['note', present('mark.note')],
  ]);
  for (const { column, finding } of collected)
    if (finding !== undefined) words.set(finding.toLowerCase().replaceAll(' ', '-'), atLeast(column, 1));
  return words;
}
