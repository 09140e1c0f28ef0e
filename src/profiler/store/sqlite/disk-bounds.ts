import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { pageSize } from '../pages/database-pages.js';
import type { SqliteDatabase } from './sqlite-database.js';

const minLimitBytes = 1024 * 1024;
const minLogBytes = 32 * pageSize;
const maxLogBytes = 16 * 1024 * 1024;

/** Bounds of a store's disk usage, in bytes. */
export interface DiskBounds {
  /** Size of the file above which its oldest records are pruned. */
  readonly file: number;
  /** Size of the write-ahead log above which it is checkpointed. */
  readonly log: number;
}

/**
 * Returns the bounds for a limit that covers the file and its log together. The limit is raised to 1 MiB, which an
 * empty file and its log need, and reduced to half of the file system, because a log that cannot grow stops pruning as
 * well.
 */
export function diskBounds(path: string, limit: number): DiskBounds {
  const bytes = Math.max(minLimitBytes, Math.min(limit, sizeOfDisk(path) / 2));
  const log = Math.min(maxLogBytes, Math.max(minLogBytes, bytes / 8));
  // The log can exceed its bound: it is checkpointed after a transaction, not within one.
  return { file: bytes - 2 * log, log };
}

/** Bounds the log of a writing connection. */
export function boundLog(db: SqliteDatabase, { log }: DiskBounds): void {
  db.exec(
    `PRAGMA wal_autocheckpoint = ${Math.ceil(log / pageSize)}; PRAGMA journal_size_limit = ${Math.ceil(log)}`,
  );
}

/** Returns the size of the file system in bytes; infinite if it is unknown. */
function sizeOfDisk(path: string): number {
  try {
    const { bsize, blocks } = statfsSync(dirname(path));
    // Some file systems report no size.
    return blocks > 0 ? bsize * blocks : Number.POSITIVE_INFINITY;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** Returns whether the file and its log take more than half of their file system. */
export function fillsDisk(path: string): boolean {
  const taken = [path, `${path}-wal`].reduce(
    (sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
  return taken > sizeOfDisk(path) / 2;
}
