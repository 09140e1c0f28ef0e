import { createRequire } from 'node:module';

type SqliteModule = typeof import('@photostructure/sqlite');
export type SqliteFile = InstanceType<SqliteModule['DatabaseSync']>;

/** Opens an SQLite file: by Node itself from version 22 on, by a package with the same interface before. */
export function openSqlite(path: string): SqliteFile {
  const { DatabaseSync } = loadSqlite();
  const file = new DatabaseSync(path);
  file.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 2000');
  return file;
}

function loadSqlite(): SqliteModule {
  const require = createRequire(import.meta.url);
  try {
    return require('node:sqlite') as SqliteModule; // the same interface
  } catch {
    return require('@photostructure/sqlite') as SqliteModule; // what its name says
  }
}
