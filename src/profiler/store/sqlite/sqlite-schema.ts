import { randomBytes } from 'node:crypto';
import { storeErrors } from '../policy/error-codes.js';
import type { TokenState } from '../tokens/token-state.js';
import { pageSize } from '../pages/database-pages.js';
import { runTransaction, type SqliteDatabase } from './sqlite-database.js';

/** Application id in the header of our files: "Lkbk". */
const applicationId = 0x4c6b626b;

/** Version of the schema. A file of an older version is set aside. */
const schemaVersion = 6;
/**
 * Columns for the account of a process's records. They are added to files of earlier versions when those are opened.
 */
const accountColumns = [
  `host TEXT NOT NULL DEFAULT ''`,
  `process_id INTEGER NOT NULL DEFAULT 0`,
  `version TEXT NOT NULL DEFAULT ''`,
  ...['seen_at', 'made', 'dropped', 'pending', 'written'].map((name) => `${name} INTEGER NOT NULL DEFAULT 0`),
];
const tables = `
  CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
  CREATE TABLE lease (start INTEGER PRIMARY KEY, end INTEGER NOT NULL, run INTEGER NOT NULL);
  CREATE TABLE run (
    id INTEGER PRIMARY KEY, pid INTEGER NOT NULL, started_at REAL NOT NULL,
    last_number INTEGER NOT NULL DEFAULT -1, renamed INTEGER NOT NULL DEFAULT 0,
    pruned_count INTEGER NOT NULL DEFAULT 0, pruned_age INTEGER NOT NULL DEFAULT 0,
    pruned_bytes INTEGER NOT NULL DEFAULT 0, pruned_purge INTEGER NOT NULL DEFAULT 0
  );
  CREATE TABLE segment (
    id INTEGER PRIMARY KEY AUTOINCREMENT, run INTEGER NOT NULL, bucket TEXT NOT NULL,
    started_at REAL NOT NULL, closed_at REAL NOT NULL, written_at REAL NOT NULL,
    records INTEGER NOT NULL, gone INTEGER NOT NULL DEFAULT 0, bytes INTEGER NOT NULL, facts TEXT NOT NULL
  );
  CREATE INDEX segment_order ON segment (bucket, id);
  CREATE TABLE segment_data (id INTEGER PRIMARY KEY, keys BLOB NOT NULL, directory BLOB NOT NULL, body BLOB NOT NULL);
  CREATE TABLE key_range (start INTEGER PRIMARY KEY, end INTEGER NOT NULL, segment INTEGER NOT NULL);
  CREATE TABLE pruned (start INTEGER PRIMARY KEY, end INTEGER NOT NULL, reason TEXT NOT NULL);
  CREATE TABLE total (bucket TEXT PRIMARY KEY, records INTEGER NOT NULL, bytes INTEGER NOT NULL) WITHOUT ROWID;
  INSERT INTO total VALUES ('app', 0, 0), ('profiler', 0, 0);`;

/** Options for opening a file. */
export interface OpeningOptions {
  readonly tokenState?: TokenState | undefined;
  /** New path of the file that was set aside and that a new one replaces. */
  readonly setAside?: string;
  /** The file failed as damaged a moment ago, so its integrity is checked first. */
  readonly suspect?: boolean;
  /** Milliseconds for which a call may block its thread while another connection has locked the file. */
  readonly busyMs: number;
}

/**
 * Creates the tables in an open file, or adds what they lack. Throws `PROFILER_STORE_FOREIGN`, `_NEWER` or `_OLDER`
 * before anything is changed, and any error of the database.
 */
export function prepareSqliteSchema(
  db: SqliteDatabase,
  path: string,
  { tokenState, busyMs, setAside }: Omit<OpeningOptions, 'suspect'>,
): void {
  db.exec(`PRAGMA busy_timeout = ${busyMs}`);
  const found = versionOf(db, path);
  if (found === undefined) db.exec(`PRAGMA page_size = ${pageSize}`);
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
  if (found !== undefined && hasAccounts(db)) return;
  runTransaction(db, () => {
    // Another process may have created the tables in the meantime.
    if (versionOf(db, path) === undefined) {
      db.exec(tables);
      const insert = db.prepare('INSERT INTO meta VALUES (?, ?)');
      insert.run('secret', tokenState?.secret ?? randomBytes(16).toString('hex'));
      insert.run('next', tokenState?.next ?? 0);
      if (setAside !== undefined) insert.run('aside', setAside);
      // Ids start above those of any earlier file, whose records may be restored to this one.
      const begin = Date.now();
      db.prepare(`INSERT INTO sqlite_sequence VALUES ('segment', ?)`).run(begin);
      insert.run('begin', begin);
      db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${schemaVersion}`);
    }
    // The columns do not change the version of the schema: earlier versions can still write.
    if (!hasAccounts(db))
      for (const column of accountColumns) db.exec(`ALTER TABLE run ADD COLUMN ${column}`);
  });
}

/** Returns the key of the permutation that turns numbers into tokens. */
export function secretOf(db: SqliteDatabase): string {
  return String(db.prepare(`SELECT value FROM meta WHERE name = 'secret'`).get()?.['value'] ?? '');
}

/** Returns whether the file has the columns for the accounts of processes. */
export function hasAccounts(db: SqliteDatabase): boolean {
  return db.prepare(`SELECT 1 FROM pragma_table_info('run') WHERE name = 'written'`).get() !== undefined;
}

/**
 * Returns the version of our file; undefined for an empty one. Throws `PROFILER_STORE_FOREIGN`, `_NEWER` or `_OLDER`.
 */
function versionOf(db: SqliteDatabase, path: string): number | undefined {
  const id = Number(db.prepare('PRAGMA application_id').get()?.['application_id'] ?? 0);
  const found = Number(db.prepare('PRAGMA user_version').get()?.['user_version'] ?? 0);
  if (id !== applicationId) {
    const tables = Number(db.prepare('SELECT count(*) AS tables FROM sqlite_master').get()?.['tables'] ?? 0);
    if (id !== 0 || found !== 0 || tables > 0) throw storeErrors.create('PROFILER_STORE_FOREIGN', { path });
    return undefined;
  }
  if (found > schemaVersion)
    throw storeErrors.create('PROFILER_STORE_NEWER', { path, found, known: schemaVersion });
  if (found < schemaVersion)
    throw storeErrors.create('PROFILER_STORE_OLDER', { path, found, known: schemaVersion });
  return found;
}
