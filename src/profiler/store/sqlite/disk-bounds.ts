import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { pageSize } from '../pages/database-pages.js';
import type { SqliteDatabase } from './sqlite-database.js';

const minLimitBytes = 1024 * 1024;
const minLogBytes = 32 * pageSize;
const maxLogBytes = 16 * 1024 * 1024;

/** How much of the disk a store may take, in bytes. */
export interface DiskBounds {
  /** Of the file, before its oldest records are pruned. */
  readonly file: number;
  /** Of its write-ahead log, before that is brought into the file. */
  readonly log: number;
}

/**
 * Bounds for a limit that counts the file and its log together. The limit is at least 1 MiB, which an empty file and
 * its log need, and at most half of the file system: a log that cannot grow stops pruning as well.
 */
export function diskBounds(path: string, limit: number): DiskBounds {
  const bytes = Math.max(minLimitBytes, Math.min(limit, sizeOfDisk(path) / 2));
  const log = Math.min(maxLogBytes, Math.max(minLogBytes, bytes / 8));
  // A log is brought into the file behind a transaction that passes its bound, not within one.
  return { file: bytes - 2 * log, log };
}

/** Keeps the log of a connection that writes within its bound. */
export function boundLog(db: SqliteDatabase, { log }: DiskBounds): void {
  db.exec(
    `PRAGMA wal_autocheckpoint = ${Math.ceil(log / pageSize)}; PRAGMA journal_size_limit = ${Math.ceil(log)}`,
  );
}

/** Bytes of the whole file system; infinite where it cannot be read. */
function sizeOfDisk(path: string): number {
  try {
    const { bsize, blocks } = statfsSync(dirname(path));
    // Some file systems report no size.
    return blocks > 0 ? bsize * blocks : Number.POSITIVE_INFINITY;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** Whether the file and its log take more than half of their file system. */
export function fillsDisk(path: string): boolean {
  const taken = [path, `${path}-wal`].reduce(
    (sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
  return taken > sizeOfDisk(path) / 2;
}
