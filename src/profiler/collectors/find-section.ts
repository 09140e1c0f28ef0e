import type { ProfileRecord } from '../model/profile-record.js';

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
