import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { SourceLoader } from '#errors';
import type { DbCallSite, DbSection } from '../collectors/db-section.js';
import type { ProfileRecord } from '../model/profile-record.js';
import { findSection } from '../panels/find-section.js';

/**
 * The record with the call sites of its queries in the sources that were written, as the frames of its errors are:
 * they were recorded as the compiled places they are, since finding out costs a file. A compiled file that was written
 * after the request keeps its place: its map tells of other code.
 */
export function withOriginalPlaces(record: ProfileRecord, sources: SourceLoader): ProfileRecord {
  const section = findSection<DbSection>(record, 'db', ['queries', 'groups', 'changes', 'totals']);
  if (section === undefined) return record;
  const place = (site: DbCallSite): DbCallSite => originalPlace(site, record.startedAt, sources);
  const db: DbSection = {
    ...section,
    queries: section.queries.map((query) => ({ ...query, callSite: query.callSite.map(place) })),
    groups: section.groups.map((group) => ({
      ...group,
      callSite: group.callSite === null ? null : place(group.callSite),
    })),
  };
  return { ...record, sections: { ...record.sections, db } };
}

function originalPlace(site: DbCallSite, startedAt: number, sources: SourceLoader): DbCallSite {
  const path = pathOf(site.file);
  const original = sources.findOriginal({ path, line: site.line, column: site.column });
  if (original === undefined || isNewer(path, startedAt)) return { ...site, file: path };
  return { ...site, file: original.path, line: original.line, column: original.column };
}

function pathOf(file: string): string {
  try {
    return file.startsWith('file://') ? fileURLToPath(file) : file;
  } catch {
    return file;
  }
}

function isNewer(path: string, than: number): boolean {
  try {
    return (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) > than;
  } catch {
    return true;
  }
}
