import type { Redactor } from '#dump';
import type { CompletedPart, SummaryField } from '../model/section-part.js';
import type { TimelineEntry, ProfileRecord } from '../model/profile-record.js';

export type { CompletedPart } from '../model/section-part.js';

/** Defines a part. Its functions receive data of the type that the collector returns: nothing else comes under its name. */
export function definePart<Data>(part: {
  readonly summary?: Readonly<
    Record<string, Omit<SummaryField, 'of'> & { readonly of: (data: Data) => number }>
  >;
  readonly timeline?: (data: Data) => readonly TimelineEntry[];
  readonly clean?: (data: Data, redactor: Redactor) => Data;
  readonly complete?: (data: Data, startedAt: number) => unknown;
}): CompletedPart {
  return part as CompletedPart; // see above
}

/** Returns a copy of plain data with each of its texts replaced. */
export function mapTexts<Data>(data: Data, replace: (text: string) => string): Data {
  const map = (value: unknown): unknown => {
    if (typeof value === 'string') return replace(value);
    if (Array.isArray(value)) return value.map(map);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, map(member)]));
  };
  return map(data) as Data; // of the same form
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
