import type { Redactor } from '#dump';
import type { CompletedPart, SummaryField } from '../model/section-part.js';
import type { TimelineEntry, ProfileRecord } from '../model/profile-record.js';

export type { CompletedPart } from '../model/section-part.js';

/**
 * Defines a part. Its functions receive data of the type that the collector returns (`Raw`) or that `clean` makes of it:
 * nothing else comes under its name.
 */
export function definePart<Raw, Clean = Raw>(part: {
  readonly name: string;
  readonly summary?: Readonly<
    Record<string, Omit<SummaryField, 'of'> & { readonly of: (data: Raw | Clean) => number }>
  >;
  readonly timeline?: (data: Clean) => readonly TimelineEntry[];
  readonly clean?: (data: Raw, redactor: Redactor) => Clean;
  readonly complete?: (data: Clean, startedAt: number) => unknown;
}): CompletedPart {
  return part as CompletedPart; // see above
}

/**
 * Returns a section of a record if it has the fields that its collector writes. This check only identifies the origin of
 * the data; the rest need not be checked, since our own code wrote the record with a schema.
 */
export function findSection<Section>(
  { sections }: ProfileRecord,
  name: string,
  fields: readonly (keyof Section & string)[],
): Section | undefined {
  const data = Object.hasOwn(sections, name) ? sections[name] : undefined;
  if (typeof data !== 'object' || data === null) return undefined;
  return fields.every((field) => Object.hasOwn(data, field)) ? (data as Section) : undefined; // see above
}
