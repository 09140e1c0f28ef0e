import { resolve } from 'node:path';
import { unreadableRows } from '../../form/segment-reader.js';
import { readParts } from '../pages/block-sums.js';
import { closeQuietly, openSqliteFile, setFileAside } from './open-sqlite-file.js';
import { type SalvageReport, salvageSqliteFile } from './salvage-sqlite-file.js';
import { toSqliteError } from './sqlite-failure.js';
import type { SqliteDatabase } from './sqlite-database.js';

export type { SalvageReport } from './salvage-sqlite-file.js';

/** Milliseconds to wait for a file that another process has locked. */
const busyMs = 2000;
const noBytes = new Uint8Array(0);

/**
 * Checks a store's file without changing it. Returns one sentence about the damage, or undefined if there is none.
 * Throws a coded error if the file cannot be checked.
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

/** Reads every record and returns how many cannot be read. */
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

/** Result of the repair of a damaged file. */
export interface SqliteRepair extends SalvageReport {
  /** Path of the damaged file. */
  readonly damaged: string;
}

/**
 * Copies the readable records of a damaged file to a sound one. With `from`, copies the records of that file to `file`;
 * otherwise sets `file` itself aside and copies its records to a new one.
 */
export function repairSqliteFile(file: string, from?: string): SqliteRepair {
  const path = resolve(file);
  const damaged = from === undefined ? setFileAside(path, 'damaged') : resolve(from);
  return { damaged, ...salvageSqliteFile(damaged, path) };
}
