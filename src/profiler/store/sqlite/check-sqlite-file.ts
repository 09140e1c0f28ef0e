import { resolve } from 'node:path';
import { unreadableRows } from '../../form/segment-reader.js';
import { readParts } from '../pages/block-sums.js';
import { closeQuietly, openSqliteFile, putAside } from './open-sqlite-file.js';
import { type SalvageReport, salvageSqliteFile } from './salvage-sqlite-file.js';
import { toSqliteError } from './sqlite-failure.js';
import type { SqliteDatabase } from './sqlite-database.js';

export type { SalvageReport } from './salvage-sqlite-file.js';

/** Milliseconds that a file held by others is waited for. */
const busyMs = 2000;
const noBytes = new Uint8Array(0);

/**
 * Looks through a store's file without changing it; one sentence about the damage, undefined where there is none. Throws
 * the coded error of a file that cannot be looked at.
 */
export function checkSqliteFile(file: string): string | undefined {
  const path = resolve(file);
  try {
    const { db } = openSqliteFile({ path, isReadOnly: true }, { busyMs });
    try {
      const found = db.prepare('PRAGMA quick_check(1)').get()?.['quick_check'];
      if (found !== 'ok') return `The file is damaged: ${String(found)}.`;
      const damaged = countDamaged(db);
      return damaged === 0 ? undefined : `${damaged} records are damaged.`;
    } finally {
      closeQuietly(db);
    }
  } catch (error) {
    const failure = toSqliteError(error, path);
    if (failure.code === 'PROFILER_STORE_CORRUPT') return failure.message;
    throw failure;
  }
}

/** Reads every record; how many of them cannot be read. */
function countDamaged(db: SqliteDatabase): number {
  let damaged = 0;
  const read = db.prepare('SELECT keys, directory, body FROM segment_data WHERE id = ?');
  for (const { id, records, gone } of db.prepare('SELECT id, records, gone FROM segment').all()) {
    const first = Number(gone);
    try {
      const { keys, parts } = readParts(read.get(id ?? null) ?? {}, 'directory', 'body');
      const [directory = noBytes, body = noBytes] = parts;
      damaged += unreadableRows({ keys, directory, body }, first).length;
    } catch {
      damaged += Number(records) - first;
    }
  }
  return damaged;
}

/** What became of a damaged file. */
export interface SqliteRepair extends SalvageReport {
  /** Where the damaged file is. */
  readonly damaged: string;
}

/**
 * Puts the records of a damaged file that can be read into a sound one: those of `from` into the one that is there, else
 * those of the file itself, which is set aside, into a new one.
 */
export function repairSqliteFile(file: string, from?: string): SqliteRepair {
  const path = resolve(file);
  const damaged = from === undefined ? putAside(path, 'damaged') : resolve(from);
  return { damaged, ...salvageSqliteFile(damaged, path) };
}
