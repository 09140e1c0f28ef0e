import { timeCategories } from '../model/time-breakdown.js';
import { summaryFields, type ProfileSummary } from '../model/profile-summary.js';
import { durationClass } from '../model/profile-totals.js';

/** A value of a column; null if the record has none. */
export type ColumnValue = string | number | null;

/** Largest value of an integer column. */
export const maxInteger: number = 2 ** 31 - 1;

/** A column of the list of records: of a declared field, or of a value that follows from others. */
export interface ListColumn {
  /** Name in SQL. */
  readonly name: string;
  /** Name in conditions, sorts and groups. */
  readonly field: string;
  /** `time` is in milliseconds since the epoch, with a precision of a microsecond. */
  readonly type: 'text' | 'integer' | 'real' | 'time';
  readonly isNullable: boolean;
  /** Maximum number of characters of a text: what is stored of a longer one ends with `…`. */
  readonly maxLength: number;
  readonly of: (summary: ProfileSummary) => ColumnValue;
}

const fieldColumns = summaryFields.map(([field, { shape, column, isLong }]) => {
  return {
    name: column ?? field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    field,
    type: shape === 'time' ? shape : shape === 'number' ? 'real' : shape === 'count' ? 'integer' : 'text',
    isNullable: Array.isArray(shape),
    maxLength: isLong === true ? 4000 : 300,
    of: (summary: ProfileSummary) => summary[field],
  } as const;
});

/** The columns: those of fields, then those by which lists are ordered and durations counted, and the parts of a duration. */
export const listColumns: readonly ListColumn[] = [
  ...fieldColumns,
  derived('closed_at', 'closedAt', 'time', closedAt),
  derived('duration_class', 'durationClass', 'integer', ({ durationMs }) => durationClass(durationMs)),
  ...timeCategories.map((kind) =>
    derived(`${kind}_ms`, `${kind}Ms`, 'real', ({ breakdown }) => breakdown[kind]),
  ),
];

function derived(name: string, field: string, type: ListColumn['type'], of: ListColumn['of']): ListColumn {
  return { name, field, type, isNullable: false, maxLength: 0, of };
}

const byField: ReadonlyMap<string, ListColumn> = new Map(listColumns.map((one) => [one.field, one]));

/** Returns the column that a condition, a sort or a group names; undefined if there is none. */
export function findColumn(field: string): ListColumn | undefined {
  return byField.get(field);
}

/** Returns whether a name can be that of a number of a collector: `db.queries`. */
export function isCollectedName(field: string): boolean {
  return field.length <= 100 && /^[\w-]+\.[\w.-]+$/.test(field) && !field.startsWith('mark.');
}

/** Returns the values of a summary in the order of `listColumns`, as they are stored. */
export function valuesOf(summary: ProfileSummary): ColumnValue[] {
  return listColumns.map((one) => toStored(one, one.of(summary)));
}

/** Returns the end of a request, as lists are ordered by it. */
export function closedAt({ startedAt, durationMs }: ProfileSummary): number {
  return startedAt + durationMs;
}

function toStored({ type, maxLength }: ListColumn, value: ColumnValue): ColumnValue {
  if (value === null) return null;
  if (type === 'text') return cutText(toStoredText(String(value)), maxLength);
  const number = Number.isFinite(Number(value)) ? Number(value) : 0;
  if (type === 'time') return Math.round(number * 1000) / 1000;
  return type === 'integer' ? Math.min(Math.trunc(number), maxInteger) : number;
}

/** Returns a text as every database can store it: without NUL and without halves of surrogate pairs. */
export function toStoredText(text: string): string {
  return (text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text).toWellFormed();
}

function cutText(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength - 1).toWellFormed()}…` : text;
}

/** Reads a summary from its stored values by the names of the columns. */
export function readSummary(
  row: Readonly<Record<string, unknown>>,
  collected: Readonly<Record<string, number>>,
): ProfileSummary {
  const found: Record<string, unknown> = { collected };
  for (const { name, field, type } of fieldColumns) {
    const value = row[name] ?? null;
    // Drivers return large integers as texts.
    if (value === null || type === 'text') found[field] = value;
    else found[field] = Number(value);
  }
  found['breakdown'] = Object.fromEntries(timeCategories.map((kind) => [kind, Number(row[`${kind}_ms`])]));
  return found as ProfileSummary & typeof found; // the columns are its fields
}
