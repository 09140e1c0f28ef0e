import { findSection } from './define-part.js';
import type { ProfileRecord } from '../model/profile-record.js';
import { shortPath } from '../model/formatting.js';
import { pathOfFile } from '#core/errors';

/** A notable fact about a request, as a sentence. */
export interface RecordFinding {
  readonly level: 'error' | 'warn' | 'info';
  /** One sentence of plain text, without a full stop. May contain foreign text. */
  readonly text: string;
  /** Link target: a panel, by its id or the section that it shows, and the `id` of a row in it. */
  readonly target?: { readonly panel: string; readonly anchor?: string };
  /** What of the request it explains: that it failed, or so many milliseconds of its time. */
  readonly explains?: 'failure' | number;
}

/** Finds facts of one kind. May throw, at a section without the shape that its collector gives it: nothing is found then. */
export type Finder = (record: ProfileRecord) => RecordFinding | readonly RecordFinding[] | undefined;

/** Returns a warning; by default, about the request. */
export function warning(text: string, panel = 'request', anchor?: string): RecordFinding {
  return { level: 'warn', text, target: targetIn(panel, anchor) };
}

/** Returns the link target for a row of a panel; without an anchor, for the whole panel. */
export function targetIn(panel: string, anchor?: string): NonNullable<RecordFinding['target']> {
  return anchor === undefined ? { panel } : { panel, anchor };
}

/** Returns the `id` of a log entry's row, by its index in `logs`. */
export function logAnchor(index: number): string {
  return `log-${index + 1}`;
}

interface Place {
  readonly file: string;
  readonly line: number;
}

/** Returns a place as findings show it: `src/blog.ts:12`. */
export function placeOf(place: Place | null = null): string | undefined {
  return place === null ? undefined : `${shortPath(pathOfFile(place.file))}:${place.line}`;
}

/** Returns the end of a sentence that names a place of the application; empty if none is known. */
export function from(place: string | undefined): string {
  return place === undefined ? '' : `, from ${place}`;
}

/** The sections whose rows have a call site, and the name of their rows. */
const rowsOf: Readonly<Record<string, string>> = {
  db: 'queries',
  http: 'calls',
  mail: 'messages',
  cache: 'commands',
};

/** Returns the place of the application that made a query or call, by the `id` of its row. */
export function callPlace(
  record: ProfileRecord,
  section: string | undefined,
  anchor: string | undefined,
): string | undefined {
  const field = rowsOf[section ?? ''];
  const row = Number(/-(\d+)$/.exec(anchor ?? '')?.[1] ?? 0) - 1;
  if (field === undefined || row < 0) return undefined;
  const rows = findSection<Readonly<Record<string, readonly { readonly callSite?: readonly Place[] }[]>>>(
    record,
    section ?? '',
    [field],
  )?.[field];
  return placeOf(rows?.[row]?.callSite?.[0]);
}
