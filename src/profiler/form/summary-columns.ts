import type { CollectedField } from '../model/section-part.js';
import type { SectionPart } from '../model/section-part.js';
import { importedPart } from './imported-part.js';

/**
 * Encoding of the values of a column:
 * - `count`: an integer ≥ 0
 * - `ms`: milliseconds, with a precision of 0.1 µs
 * - `time`: milliseconds since the epoch, with a precision of 1 µs
 * - `step`: an integer close to that of the previous row
 * - `word`: a text of the program, or null
 * - `text`: a text of the request, or null
 * - `same`: one text for all rows, or null
 */
export type ColumnKind = (typeof columnKinds)[number];
export const columnKinds = ['count', 'ms', 'time', 'step', 'word', 'text', 'same'] as const;

export interface SummaryColumn {
  readonly name: string;
  readonly kind: ColumnKind;
  /** The value of a column of the kind `same`. */
  readonly value?: string;
}

/** The base columns of a summary with their kinds. */
const columns = {
  sequence: 'step',
  startedAt: 'time',
  durationMs: 'ms',
  appMs: 'ms',
  databaseMs: 'ms',
  httpMs: 'ms',
  renderingMs: 'ms',
  state: 'word',
  method: 'word',
  origin: 'word',
  target: 'text',
  status: 'count',
  clientAddress: 'text',
  route: 'word',
  user: 'text',
  parent: 'text',
  trace: 'text',
  visitor: 'text',
  exception: 'text',
  errorClass: 'word',
  errorPlace: 'word',
  logs: 'count',
  warnings: 'count',
  errors: 'count',
  instance: 'same',
  version: 'same',
} as const;

/** Process that made a record (`host:pid`), and version of its application. */
export interface ProcessOrigin {
  readonly instance: string;
  readonly version: string;
}

export type ColumnValue = string | number | null;
export type BaseColumn = keyof typeof columns;

/** A row to be written: the base columns, and those of collectors. */
export type SummaryInput = Readonly<Record<Exclude<BaseColumn, keyof ProcessOrigin>, ColumnValue>> &
  Readonly<Record<string, ColumnValue>>;

export const baseColumns: readonly SummaryColumn[] = Object.entries(columns).map(([name, kind]) => ({
  name,
  kind,
}));

/** Returns the numbers that the parts of collectors declare, named `section.name`. */
export function collectedFields(
  parts: readonly (readonly [section: string, part: SectionPart])[],
): readonly CollectedField[] {
  return parts.flatMap(([section, { summary = {} }]) =>
    Object.entries(summary).map(([name, { kind, finding }]) => ({
      column: collectedName(section, name),
      kind,
      ...(finding === undefined ? {} : { finding }),
    })),
  );
}

/** Returns the declared numbers and the one that marks imported records. */
export function searchedFields(parts: Parameters<typeof collectedFields>[0]): readonly CollectedField[] {
  return collectedFields([...parts, importedPart]);
}

/** Returns the base columns and those that the parts of collectors declare. */
export function columnsWith(
  parts: readonly (readonly [section: string, part: SectionPart])[],
  origin: ProcessOrigin,
): SummaryColumn[] {
  const own = baseColumns.map((column) =>
    column.name === 'instance' || column.name === 'version'
      ? { ...column, value: origin[column.name] }
      : column,
  );
  return [...own, ...collectedFields(parts).map(({ column, kind }) => ({ name: column, kind }))];
}

export function collectedName(section: string, name: string): string {
  return `${section}.${name}`;
}
