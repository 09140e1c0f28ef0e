import type { ProfileRecord, RecordedSpan } from '../model/profile-record.js';
import type { StoredRecord } from '../model/profile-store.js';
import type { SectionPart } from '../model/section-part.js';
import { readImported } from '../form/imported-part.js';
import type { LateNotes } from './late-notes.js';

/** What a stored record is completed with. */
export interface Completing {
  /** What collectors declare, by the names of their sections. */
  readonly parts: ReadonlyMap<string, SectionPart>;
  readonly late: LateNotes;
}

/** A record as it was stored, with its token, its sections as their collectors give them, and what came late. */
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
    } catch {} // a section of the same name that someone else wrote: it is shown as it is
  }
  return late.addTo({ token, ...stored, sections, timeline });
}
