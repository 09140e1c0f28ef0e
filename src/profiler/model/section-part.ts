import type { TimelineEntry } from './time-breakdown.js';

/**
 * How data of one shape is written, as plain data itself: the name of a kind of field, fields by their names, a list of
 * one form (`[form]`), or a form that may be null (`['?', form]`). Kinds:
 * `flag` · `count` a whole number from 0 · `ms` milliseconds from 0, kept to a tenth of a microsecond · `offset` the same,
 * may be below zero · `text` a text of this request · `word` a text of the program, which stands once for many records ·
 * `value` any plain data · `terms` plain data whose texts are the program's · `taken` a value as it was taken, read as its
 * picture. `text`, `word`, `count` and `taken` with a `?` behind may be null.
 */
export type Form = string | readonly [Form] | readonly ['?', Form] | { readonly [field: string]: Form };

/** A number of a section that lists and searches know. */
export interface CollectedField {
  /** `db.queries`. */
  readonly column: string;
  readonly kind: 'count' | 'ms';
  /** What it is called in lists where it is above 0 and deserves a look: `N+1`. `has:` finds it by that, without spaces. */
  readonly finding?: string;
}

/** The same as a part declares it, under its name. */
export interface SummaryField extends Omit<CollectedField, 'column'> {
  /** Gives it from what the collector gave. */
  readonly of: (data: unknown) => number;
}

/** What a collector declares about its section. */
export interface SectionPart {
  /** Default `value`. It is stored with the records, so that they can be read without the collector. */
  readonly form?: Form;
  /** The data is bounded and without secrets from the start: it is neither copied nor looked through. */
  readonly isClean?: true;
  readonly summary?: Readonly<Record<string, SummaryField>>;
  /**
   * Which part of the request's time the section covers, from what the collector gave or what was stored of it: bars of the
   * timeline, and shares of the breakdown. Asked when the record closes and when it is read.
   */
  readonly timeline?: (data: unknown) => readonly TimelineEntry[];
  /** Makes the section of what was stored, when it is read. `startedAt` of the request, in milliseconds since the epoch. */
  readonly complete?: (stored: unknown, startedAt: number) => unknown;
}
