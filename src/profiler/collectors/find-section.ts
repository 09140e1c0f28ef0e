import type { ProfileRecord } from '../model/profile-record.js';

/**
 * A section of a record, when it has the fields that its collector writes. It looks only as far as to know whose data
 * it is: the record was written under a schema, by our own code.
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
