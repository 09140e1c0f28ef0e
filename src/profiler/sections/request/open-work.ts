import { type CacheSection, commandAnchor } from '../cache/section.js';
import type { DbSection } from '../database/queries.js';
import { queryAnchor } from '../database/section.js';
import { findSection } from '../define-section.js';
import type { RecordedCallSite } from '../../model/find-location.js';
import type { ProfileRecord } from '../../model/profile-record.js';

/** A query or cache command still running when its record was made. */
export interface OpenWork {
  /** The statement or command, truncated. */
  readonly name: string;
  /** Until the record was made. */
  readonly durationMs: number;
  readonly callSite: readonly RecordedCallSite[];
  readonly section: 'db' | 'cache';
  readonly anchor: string;
}

const maxNameLength = 80;

/** Returns the queries and cache commands still running when the record was made. */
export function openWorkOf(record: ProfileRecord): readonly OpenWork[] {
  const { queries = [] } = findSection<DbSection>(record, 'db', ['queries']) ?? {};
  const { commands = [] } = findSection<CacheSection>(record, 'cache', ['commands']) ?? {};
  return [
    ...queries.flatMap(({ sql, durationMs, callSite, isOpen }, index): readonly OpenWork[] =>
      isOpen ? [{ name: nameOf(sql), durationMs, callSite, section: 'db', anchor: queryAnchor(index) }] : [],
    ),
    ...commands.flatMap(({ command, args, durationMs, callSite, isOpen }, index): readonly OpenWork[] =>
      isOpen
        ? [
            {
              name: nameOf(`${command} ${args}`),
              durationMs,
              callSite,
              section: 'cache',
              anchor: commandAnchor(index),
            },
          ]
        : [],
    ),
  ];
}

function nameOf(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > maxNameLength ? `${line.slice(0, maxNameLength)}…` : line;
}
