import { resolve } from 'node:path';
import { closeQuietly, openSqliteFile } from './open-sqlite-file.js';
import { toStoreError } from './sqlite-failure.js';

/** Milliseconds that a file held by others is waited for. */
const busyMs = 2000;

/** Looks through a store's file without changing it; one sentence about what is wrong, undefined where nothing is. */
export function checkSqliteFile(file: string): string | undefined {
  const path = resolve(file);
  try {
    const { db } = openSqliteFile({ path, isReadOnly: true }, { busyMs });
    try {
      const found = db.prepare('PRAGMA quick_check(1)').get()?.['quick_check'];
      return found === 'ok' ? undefined : `The file is damaged: ${String(found)}.`;
    } finally {
      closeQuietly(db);
    }
  } catch (error) {
    return toStoreError(error, path).message;
  }
}

/** Puts a damaged or older file aside and begins a new one; where the old one is now, null where nothing had to be done. */
export function repairSqliteFile(file: string): string | null {
  const { db, setAside } = openSqliteFile({ path: resolve(file) }, { busyMs, suspect: true });
  closeQuietly(db);
  return setAside;
}
