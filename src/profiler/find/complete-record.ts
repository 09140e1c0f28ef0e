import type { ProfileRecord, RecordedSpan } from '../model/profile-record.js';
import type { StoredRecord } from '../model/profile-store.js';
import type { SectionPart } from '../model/section-part.js';
import { readImported } from '../form/imported-part.js';
import type { LateNotes } from './late-notes.js';

/** Dependencies for completing a stored record. */
export interface Completing {
  /** Declarations of the collectors by section name. */
  readonly parts: ReadonlyMap<string, SectionPart>;
  readonly late: LateNotes;
}

/** Completes a stored record with its token, the sections as their collectors build them, and the late notes. */
export function completeRecord(
  stored: StoredRecord,
  token: string,
  { parts, late }: Completing,
): ProfileRecord {
  const imported = readImported(stored);
  if (imported !== undefined) return late.addTo({ ...imported, token });
  const sections = Object.create(null) as Record<string, unknown>; // any in the library's type
  const timeline: RecordedSpan[] = [...stored.timeline];
  for (const [name, data] of Object.entries(stored.sections)) {
    const part = parts.get(name);
    sections[name] = data;
    try {
      if (part?.complete !== undefined) sections[name] = part.complete(data, stored.startedAt);
      for (const entry of part?.timeline?.(data) ?? []) timeline.push({ ...entry, section: name });
    } catch {} // a same-named section of another collector: it is shown as stored
  }
  return late.addTo({ token, ...stored, sections, timeline });
}
