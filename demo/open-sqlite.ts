import { createRequire } from 'node:module';
import type { DatabaseSync } from '@photostructure/sqlite';

interface SqliteModule {
  readonly DatabaseSync: typeof DatabaseSync;
}

/** An open SQLite file. */
export type SqliteFile = InstanceType<typeof DatabaseSync>;

/**
 * Opens an SQLite file: with Node itself from version 22 on, before that with a package that has the same interface.
 */
export function openSqlite(path: string): SqliteFile {
  const sqlite = loadSqlite();
  const file = new sqlite.DatabaseSync(path);
  file.exec('PRAGMA busy_timeout = 2000; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
  return file;
}

function loadSqlite(): SqliteModule {
  const require = createRequire(import.meta.url);
  try {
    return require('node:sqlite') as SqliteModule; // the same interface
  } catch {
    return require('@photostructure/sqlite') as SqliteModule; // the class with this name
  }
}
