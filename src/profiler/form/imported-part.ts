import type { ProfileRecord } from '../model/profile-record.js';
import type { SectionPart } from '../model/section-part.js';

const name = 'imported';

/**
 * The section of an imported record: the whole record as JSON, as it came, whatever the form of records is by then. `has:imported` finds it.
 */
export const importedPart: readonly [name: string, part: SectionPart] = [
  name,
  { form: 'text', isClean: true, summary: { [name]: { kind: 'count', of: () => 1, finding: name } } },
];

/** The record that was imported; undefined where it was made here. */
export function readImported({ sections }: Pick<ProfileRecord, 'sections'>): ProfileRecord | undefined {
  const text = sections[name];
  return typeof text === 'string' ? (JSON.parse(text) as ProfileRecord) : undefined; // checked when it was imported
}
