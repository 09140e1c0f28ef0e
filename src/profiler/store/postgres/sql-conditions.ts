import { baseColumns } from '../../form/summary-columns.js';
import type { ProfileCondition, ProfileTest } from '../../model/profile-query.js';
import { columnOf, sqlLower } from './postgres-schema.js';

const kinds: ReadonlyMap<string, string> = new Map(baseColumns.map(({ name, kind }) => [name, kind]));
const isText = (name: string): boolean => ['word', 'text', 'same'].includes(kinds.get(name) ?? '');

/** The target without query and fragment, and of an absolute one the path. */
const beforeQuery = `substring(target FROM '^[^?#]*')`;
const path = `CASE WHEN starts_with(target, '/') OR strpos(${beforeQuery}, '://') = 0 THEN ${beforeQuery}
  ELSE coalesce(substring(${beforeQuery} FROM '://[^/]*(/.*)$'), '/') END`;
const url = `CASE WHEN target = '' OR starts_with(target, '/') THEN origin || target ELSE target END`;

/** A statement while it is written: its values stand beside it, never in it. */
export class SqlValues {
  readonly values: unknown[] = [];

  /** The place of a value in the text. */
  place(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}

/** What conditions are translated with. */
export interface ConditionOptions {
  readonly hasIcu: boolean;
  /** Records that have an error class, although their column says that they have none. */
  readonly thrownLate?: ReadonlySet<number> | undefined;
}

/** Conditions as SQL on `record`; they are met by the same rows as in `prepareQuery`. */
export function sqlConditions(
  where: readonly ProfileCondition[],
  sql: SqlValues,
  options: ConditionOptions,
): readonly string[] {
  return where.map((condition) => {
    const { columns, test, isNegated = false } = condition;
    if (test.kind === 'missing') return missingTest(condition, sql, options);
    const passed = columns.map((name) => sqlTest(name, test, { sql, ...options })).join(' OR ');
    return isNegated ? `(${passed}) IS NOT TRUE` : `(${passed})`;
  });
}

/** Turned round by hand: the index of errors is used only for `IS NOT NULL`. */
function missingTest(
  { columns, isNegated = false }: ProfileCondition,
  sql: SqlValues,
  { thrownLate }: ConditionOptions,
): string {
  const late = columns.includes('errorClass') ? [...(thrownLate ?? [])] : [];
  const texts = columns.map((name) => `(${textColumn(name, sql)}) IS ${isNegated ? 'NOT ' : ''}NULL`);
  const all = `(${texts.join(isNegated ? ' AND ' : ' OR ')})`;
  if (late.length === 0) return all;
  const keys = `${sql.place(late)}::bigint[]`;
  return isNegated ? `(key = ANY(${keys}) OR ${all})` : `(key <> ALL(${keys}) AND ${all})`;
}

/** A column as a number, 0 where it is missing; of a text what it is as a number, if it is one. */
export function sqlNumber(name: string, sql: SqlValues): string {
  if (kinds.has(name) && !isText(name)) return `coalesce(${columnOf(name)}, 0)`;
  const text = `(${textColumn(name, sql)})`;
  if (!kinds.has(name) && name !== 'url' && name !== 'path') return `coalesce(${text}::double precision, 0)`;
  return `CASE WHEN ${text} IS NULL OR ${text} = '' THEN 0 WHEN ${text} ~ '^\\d{1,15}$' THEN ${text}::double precision END`;
}

/** A column as it is grouped by. */
export function sqlColumn(name: string, sql: SqlValues): string {
  if (name === 'url') return url;
  if (name === 'path') return path;
  return kinds.has(name) ? columnOf(name) : `collected -> ${sql.place(name)}::text`;
}

function sqlTest(
  name: string,
  test: Exclude<ProfileTest, { kind: 'missing' }>,
  { sql, hasIcu }: ConditionOptions & { readonly sql: SqlValues },
): string {
  if (test.kind === 'numbers') return numbersTest(name, test.ranges, sql);
  const text = sqlLower(`(${textColumn(name, sql)})`, { hasIcu });
  const wanted = test.texts.map((one) => one.toLowerCase());
  if (test.kind === 'is') return `${text} = ANY(${sql.place(wanted)}::text[])`;
  const patterns = wanted.map((one) => {
    const plain = one.replace(/[\\%_]/g, String.raw`\$&`);
    return test.kind === 'starts' ? `${plain}%` : `%${plain}%`;
  });
  return `${text} LIKE ANY(${sql.place(patterns)}::text[])`;
}

function numbersTest(
  name: string,
  ranges: Extract<ProfileTest, { kind: 'numbers' }>['ranges'],
  sql: SqlValues,
): string {
  // As the column stands, so that an index can be used; only of older records is a number missing, which counts as 0.
  const isPlain = kinds.has(name) && !isText(name);
  const number = isPlain ? columnOf(name) : `(${sqlNumber(name, sql)})`;
  const tests = ranges.map(([least, most]) => {
    const bounds = [
      ...(least === null ? [] : [`${number} >= ${sql.place(least)}::double precision`]),
      ...(most === null ? [] : [`${number} <= ${sql.place(most)}::double precision`]),
    ];
    const isZeroIn = (least ?? 0) <= 0 && (most ?? 0) >= 0;
    const any = isPlain ? 'true' : `${number} IS NOT NULL`; // a text that is no number is in no range
    const within = bounds.length === 0 ? any : bounds.join(' AND ');
    return isPlain && isZeroIn ? `(${within} OR ${number} IS NULL)` : `(${within})`;
  });
  return tests.length === 0 ? 'false' : tests.join(' OR ');
}

function textColumn(name: string, sql: SqlValues): string {
  if (name === 'url') return url;
  if (name === 'path') return path;
  if (!kinds.has(name)) return `collected ->> ${sql.place(name)}::text`;
  return isText(name) ? columnOf(name) : `${columnOf(name)}::text`;
}
