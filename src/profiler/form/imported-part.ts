import type { ProfileRecord } from '../model/profile-record.js';
import type { SectionPart } from '../model/section-part.js';

const name = 'imported';

/**
 * The section of an imported record. It contains the entire original record as JSON, so that it does not depend on the
 * current record form. `has:imported` finds such records.
 */
export const importedPart: readonly [name: string, part: SectionPart] = [
  name,
  { form: 'text', isClean: true, summary: { [name]: { kind: 'count', of: () => 1, finding: name } } },
];

/** Returns the original record of an imported one; undefined if the record was not imported. */
export function readImported({ sections }: Pick<ProfileRecord, 'sections'>): ProfileRecord | undefined {
  const text = sections[name];
  return typeof text === 'string' ? (JSON.parse(text) as ProfileRecord) : undefined; // checked when it was imported
}
