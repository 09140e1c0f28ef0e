import type { SqliteDatabase } from '../clients/sqlite-database.js';
import { checkStoreName } from '../sessions/store-name.js';
import type { RememberedLogin, RememberMeStore } from './remember-me-store.js';

export interface SqliteRememberMeStoreOptions {
  /** Beginning of the table's name. Default `lookback`. */
  readonly prefix?: string;
}

/** Remembered logins in SQLite. The table is made when it is missing; expired rows go at the next insert. */
export function createSqliteRememberMeStore(
  database: SqliteDatabase,
  options: SqliteRememberMeStoreOptions = {},
): RememberMeStore {
  const table = `${checkStoreName(options.prefix ?? 'lookback')}_remembered_logins`;
  database.exec(`
    CREATE TABLE IF NOT EXISTS ${table} (
      series TEXT PRIMARY KEY, identifier TEXT NOT NULL, fingerprint TEXT NOT NULL, token_hash TEXT NOT NULL,
      previous_hash TEXT, rotated_at INTEGER NOT NULL, expires_at INTEGER NOT NULL) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS ${table}_user ON ${table} (identifier);`);
  const insert = database.prepare(`INSERT INTO ${table} VALUES (?, ?, ?, ?, NULL, ?, ?)`);
  const find = database.prepare(
    `SELECT series, identifier, fingerprint, token_hash AS tokenHash, previous_hash AS previousHash,
            rotated_at AS rotatedAt, expires_at AS expiresAt FROM ${table} WHERE series = ?`,
  );
  const rotate = database.prepare(
    `UPDATE ${table} SET previous_hash = token_hash, token_hash = ?, rotated_at = ?, expires_at = ?
     WHERE series = ? AND token_hash = ?`,
  );
  const remove = database.prepare(`DELETE FROM ${table} WHERE series = ?`);
  const removeUser = database.prepare(`DELETE FROM ${table} WHERE identifier = ?`);
  const sweep = database.prepare(`DELETE FROM ${table} WHERE expires_at <= ?`);
  return {
    name: 'sqlite',
    insert(login) {
      sweep.run(Date.now());
      const { series, identifier, fingerprint, tokenHash, rotatedAt, expiresAt } = login;
      insert.run(series, identifier, fingerprint, tokenHash, rotatedAt, expiresAt);
    },
    find(series) {
      const row = find.get(series) as (RememberedLogin & { previousHash: string | null }) | undefined; // the columns selected
      return row === undefined ? undefined : { ...row, previousHash: row.previousHash ?? undefined };
    },
    rotate: (series, from, { tokenHash, rotatedAt, expiresAt }) =>
      Number(rotate.run(tokenHash, rotatedAt, expiresAt, series, from).changes) === 1,
    remove: (series) => void remove.run(series),
    removeUser: (identifier) => void removeUser.run(identifier),
  };
}
