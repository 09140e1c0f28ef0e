import type { TimelineEntry } from './time-breakdown.js';

/**
 * Serialisation schema of one shape of data, itself plain data: the kind of a field, an object of fields, a list of one
 * form (`[form]`), or a nullable form (`['?', form]`). Kinds:
 * - `flag`: a boolean
 * - `count`: an integer ≥ 0
 * - `ms`: milliseconds ≥ 0, with a precision of 0.1 µs; `offset`: the same, may be negative
 * - `text`: a text that is specific to the request; `word`: a text of the program, stored once for many records
 * - `value`: any plain data; `terms`: plain data whose texts are texts of the program
 * - `taken`: a value as it was captured; it is read as its picture
 *
 * A `?` after `text`, `word`, `count` and `taken` makes them nullable.
 */
export type Form = string | readonly [Form] | readonly ['?', Form] | { readonly [field: string]: Form };

/** A number of a section that can be listed and searched. */
export interface CollectedField {
  /** `db.queries`. */
  readonly column: string;
  readonly kind: 'count' | 'ms';
  /** Label shown in lists if the number is above 0 and deserves attention: `N+1`. `has:` finds it by the label without spaces. */
  readonly finding?: string;
}

/** A collected field as a part declares it, under the field's name. */
export interface SummaryField extends Omit<CollectedField, 'column'> {
  /** Computes the number from the data of the collector. */
  readonly of: (data: unknown) => number;
}

/** Declaration of a collector's section. */
export interface SectionPart {
  /** Default `value`. The form is stored with the records, so that they can be read without the collector. */
  readonly form?: Form;
  /** The data is already bounded and free of secrets, so it is neither copied nor scanned. */
  readonly isClean?: true;
  readonly summary?: Readonly<Record<string, SummaryField>>;
  /**
   * Returns the time that the section accounts for, as bars of the timeline and shares of the breakdown. Called with the
   * collector's data when the record is closed, and with the stored data when it is read.
   */
  readonly timeline?: (data: unknown) => readonly TimelineEntry[];
  /** Builds the section from the stored data when a record is read. `startedAt` of the request, in milliseconds since the epoch. */
  readonly complete?: (stored: unknown, startedAt: number) => unknown;
}
