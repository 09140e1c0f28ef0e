import { randomBytes } from 'node:crypto';
import { storeErrors } from './error-codes.js';
import type { SqliteDatabase } from './sqlite-database.js';

/** Marks a file as ours, in its header: "Lkbk". */
const applicationId = 0x4c6b626b;

/** Each brings the file one version further; never changed once released. */
const migrations: readonly string[] = [
  `CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
   CREATE TABLE lease (start INTEGER PRIMARY KEY, end INTEGER NOT NULL, run INTEGER NOT NULL, pruned TEXT);
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
   CREATE TABLE record (key INTEGER PRIMARY KEY, segment INTEGER NOT NULL, place INTEGER NOT NULL);
   CREATE TABLE total (bucket TEXT PRIMARY KEY, records INTEGER NOT NULL, bytes INTEGER NOT NULL) WITHOUT ROWID;
   INSERT INTO total VALUES ('app', 0, 0), ('profiler', 0, 0);`,
  // Until here a whole lease was marked when one of its records was pruned: lease.pruned, which is still read.
  'CREATE TABLE pruned (start INTEGER PRIMARY KEY, end INTEGER NOT NULL, reason TEXT NOT NULL);',
  // Records of a form that is read no longer (decision 098) go as they go when somebody purges.
  `INSERT OR REPLACE INTO pruned SELECT min(key), max(key) + 1, 'purge' FROM
     (SELECT key, key - row_number() OVER (ORDER BY key) AS island FROM record WHERE key >= 0) GROUP BY island;
   DELETE FROM record; DELETE FROM segment; DELETE FROM segment_data; UPDATE total SET records = 0, bytes = 0;`,
  // A row for each record was most of the work of writing; the keys of a segment are a few ranges (decision 105).
  `CREATE TABLE key_range (start INTEGER PRIMARY KEY, end INTEGER NOT NULL, segment INTEGER NOT NULL);
   INSERT INTO key_range SELECT min(key), max(key) + 1, segment FROM
     (SELECT key, segment, key - row_number() OVER (PARTITION BY segment ORDER BY key) AS island FROM record)
     GROUP BY segment, island;
   DROP TABLE record;`,
];

/** What a new file goes on from, when it takes the place of another. */
export interface Heritage {
  readonly secret: string;
  /** First number that may be leased. */
  readonly next: number;
}

/** How a file is opened. */
export interface OpeningOptions {
  readonly heritage?: Heritage | undefined;
  /** Where the damaged file is that a new one takes the place of. */
  readonly setAside?: string;
  /** It failed as damaged a moment ago, so it is looked through first. */
  readonly suspect?: boolean;
  /** Milliseconds that a call may wait, and hold up its thread, while another connection has the file. */
  readonly busyMs: number;
}

/**
 * Makes an open file ours and brings it to the present schema. Throws `PROFILER_STORE_FOREIGN` or `_NEWER`, before
 * anything is changed, and whatever the database throws.
 */
export function prepareSchema(
  db: SqliteDatabase,
  path: string,
  { heritage, busyMs, setAside }: Omit<OpeningOptions, 'suspect'>,
): void {
  db.exec(`PRAGMA busy_timeout = ${busyMs}`);
  const found = versionOf(db, path);
  if (found === undefined) db.exec('PRAGMA page_size = 8192');
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = 16777216');
  if (found === migrations.length) return;
  db.exec('BEGIN IMMEDIATE');
  try {
    // Another process may have been faster.
    const version = versionOf(db, path) ?? 0;
    for (const migration of migrations.slice(version)) db.exec(migration);
    if (version === 0) {
      const insert = db.prepare('INSERT INTO meta VALUES (?, ?)');
      insert.run('secret', heritage?.secret ?? randomBytes(16).toString('hex'));
      insert.run('next', heritage?.next ?? 0);
      if (setAside !== undefined) insert.run('aside', setAside);
    }
    db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${migrations.length}`);
    db.exec('COMMIT');
  } catch (error) {
    db.exec('ROLLBACK');
    throw error;
  }
}

/** Version of our file, undefined for an empty one. */
function versionOf(db: SqliteDatabase, path: string): number | undefined {
  const id = Number(db.prepare('PRAGMA application_id').get()?.['application_id'] ?? 0);
  const version = Number(db.prepare('PRAGMA user_version').get()?.['user_version'] ?? 0);
  if (id !== applicationId) {
    const tables = Number(db.prepare('SELECT count(*) AS tables FROM sqlite_master').get()?.['tables'] ?? 0);
    if (id !== 0 || version !== 0 || tables > 0) throw storeErrors.create('PROFILER_STORE_FOREIGN', { path });
    return undefined;
  }
  if (version > migrations.length) {
    const known = migrations.length;
    throw storeErrors.create('PROFILER_STORE_NEWER', { path, found: version, known });
  }
  return version;
}
