import type { SectionPart } from '../model/section-part.js';

/**
 * How the values of a column are written. `count`: a whole number from 0 · `ms`: milliseconds, to a tenth of a
 * microsecond · `time`: milliseconds since the epoch, to a microsecond · `step`: a whole number near the one of the row
 * before · `word`: a text of the program, or null · `text`: a text of the request, or null.
 */
export type ColumnKind = 'count' | 'ms' | 'time' | 'step' | 'word' | 'text';

export interface Column {
  readonly name: string;
  readonly kind: ColumnKind;
}

/** What lists and searches know of a record, each declared once. */
const columns = {
  sequence: 'step',
  startedAt: 'time',
  durationMs: 'ms',
  state: 'word',
  method: 'word',
  origin: 'word',
  target: 'text',
  status: 'count',
  clientAddress: 'text',
  route: 'word',
  user: 'text',
  parent: 'text',
  exception: 'text',
  errorClass: 'word',
  errorPlace: 'word',
  logs: 'count',
  warnings: 'count',
  errors: 'count',
} as const;

export type ColumnValue = string | number | null;
export type BaseColumn = keyof typeof columns;

/** A row as it is written: the base columns, and those of collectors. */
export type GivenSummary = Readonly<Record<BaseColumn, ColumnValue>> & Readonly<Record<string, ColumnValue>>;

export const baseColumns: readonly Column[] = Object.entries(columns).map(([name, kind]) => ({ name, kind }));

/** Base columns, and those that the parts of collectors declare, as `section.name`. */
export function columnsWith(parts: readonly (readonly [section: string, part: SectionPart])[]): Column[] {
  const declared = parts.flatMap(([section, { summary = {} }]) =>
    Object.entries(summary).map(([name, { kind }]) => ({ name: collectedName(section, name), kind })),
  );
  return [...baseColumns, ...declared];
}

export function collectedName(section: string, name: string): string {
  return `${section}.${name}`;
}
