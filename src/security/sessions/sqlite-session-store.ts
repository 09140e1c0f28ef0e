import type { SqliteDatabase } from '../clients/sqlite-database.js';
import { createSqliteCountStore } from '../counts/sqlite-count-store.js';
import type { SessionStore } from './session-store.js';
import { checkStoreName } from './store-name.js';

export interface SqliteSessionStoreOptions {
  /** Beginning of the tables' names. Default `lookback`. */
  readonly prefix?: string;
}

/** Expired rows are swept once in so many writes. */
const SWEEP_EVERY = 500;

/**
 * Sessions in an SQLite file that several processes may share: every step is one statement. The tables are made
 * when they are missing.
 */
export function createSqliteSessionStore(
  database: SqliteDatabase,
  options: SqliteSessionStoreOptions = {},
): SessionStore {
  const prefix = checkStoreName(options.prefix ?? 'lookback');
  database.exec(schema(prefix));
  const statements = prepareAll(database, prefix);
  let writes = 0;
  return {
    name: 'sqlite',
    counts: createSqliteCountStore(database, options.prefix),
    read(key) {
      const row = statements.read.get(key, Date.now());
      if (typeof row !== 'object' || row === null) return undefined;
      return row as { data: string; createdAt: number; expiresAt: number }; // the columns selected below
    },
    lock: (key, owner, milliseconds) => {
      const now = Date.now();
      return Number(statements.lock.run(key, owner, now + milliseconds, now).changes) === 1;
    },
    unlock: (key, owner) => void statements.unlock.run(key, owner),
    write(key, owner, record) {
      const now = Date.now();
      if (writes++ % SWEEP_EVERY === 0) sweep(statements, now);
      if (record === undefined) {
        statements.remove.run(key, key, owner, now);
        return statements.holds.get(key, owner, now) !== undefined;
      }
      const { data, createdAt, expiresAt } = record;
      return Number(statements.write.run(key, data, createdAt, expiresAt, key, owner, now).changes) === 1;
    },
    touch: (key, expiresAt) => void statements.touch.run(expiresAt, key),
  };
}

type Statement = ReturnType<SqliteDatabase['prepare']>;
type Statements = Record<
  'read' | 'lock' | 'unlock' | 'holds' | 'write' | 'remove' | 'touch' | 'sweepSessions' | 'sweepLocks',
  Statement
>;

function prepareAll(database: SqliteDatabase, prefix: string): Statements {
  const [sessions, locks] = [`${prefix}_sessions`, `${prefix}_session_locks`];
  const held = `EXISTS (SELECT 1 FROM ${locks} WHERE key = ? AND owner = ? AND held_until > ?)`;
  const prepare = (sql: string): Statement => database.prepare(sql);
  return {
    read: prepare(
      `SELECT data, created_at AS createdAt, expires_at AS expiresAt FROM ${sessions} WHERE key = ? AND expires_at > ?`,
    ),
    lock: prepare(
      `INSERT INTO ${locks} (key, owner, held_until) VALUES (?, ?, ?)
       ON CONFLICT (key) DO UPDATE SET owner = excluded.owner, held_until = excluded.held_until
       WHERE ${locks}.held_until <= ?`,
    ),
    unlock: prepare(`DELETE FROM ${locks} WHERE key = ? AND owner = ?`),
    holds: prepare(`SELECT 1 FROM ${locks} WHERE key = ? AND owner = ? AND held_until > ?`),
    write: prepare(
      `INSERT INTO ${sessions} (key, data, created_at, expires_at) SELECT ?, ?, ?, ? WHERE ${held}
       ON CONFLICT (key) DO UPDATE SET data = excluded.data, created_at = excluded.created_at, expires_at = excluded.expires_at`,
    ),
    remove: prepare(`DELETE FROM ${sessions} WHERE key = ? AND ${held}`),
    touch: prepare(`UPDATE ${sessions} SET expires_at = ? WHERE key = ?`),
    sweepSessions: prepare(`DELETE FROM ${sessions} WHERE expires_at <= ?`),
    sweepLocks: prepare(`DELETE FROM ${locks} WHERE held_until <= ?`),
  };
}

function sweep(statements: Statements, now: number): void {
  statements.sweepSessions.run(now);
  statements.sweepLocks.run(now);
}

function schema(prefix: string): string {
  return `
    CREATE TABLE IF NOT EXISTS ${prefix}_sessions (
      key TEXT PRIMARY KEY, data TEXT NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS ${prefix}_sessions_end ON ${prefix}_sessions (expires_at);
    CREATE TABLE IF NOT EXISTS ${prefix}_session_locks (
      key TEXT PRIMARY KEY, owner TEXT NOT NULL, held_until INTEGER NOT NULL) WITHOUT ROWID;`;
}
