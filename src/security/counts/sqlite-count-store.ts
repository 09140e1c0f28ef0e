import type { SqliteDatabase } from '../clients/sqlite-database.js';
import { checkStoreName } from '../sessions/store-name.js';
import type { CountStore } from './count-store.js';

/** Counts that are over are swept once in so many takes. */
const SWEEP_EVERY = 500;

/** Counts in an SQLite file that several processes may share: every step is one statement. The table is made when it is missing. */
export function createSqliteCountStore(database: SqliteDatabase, prefix = 'lookback'): CountStore {
  const table = `${checkStoreName(prefix)}_counts`;
  database.exec(`
    CREATE TABLE IF NOT EXISTS ${table} (
      key TEXT PRIMARY KEY, kept INTEGER NOT NULL, pending INTEGER NOT NULL, ends_at INTEGER NOT NULL) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS ${table}_end ON ${table} (ends_at);`);
  const isOver = `${table}.ends_at <= ?`;
  const take = database.prepare(
    `INSERT INTO ${table} (key, kept, pending, ends_at) VALUES (?, 0, 1, ?)
     ON CONFLICT (key) DO UPDATE SET kept = iif(${isOver}, 0, kept), pending = iif(${isOver}, 0, pending) + 1,
       ends_at = iif(${isOver}, excluded.ends_at, ${table}.ends_at)
     WHERE ${isOver} OR kept + pending < ?
     RETURNING kept, ends_at AS endsAt`,
  );
  const read = database.prepare(`SELECT kept, ends_at AS endsAt FROM ${table} WHERE key = ? AND ends_at > ?`);
  const settle = database.prepare(
    `UPDATE ${table} SET kept = kept * ? + ?, pending = max(0, pending - 1) WHERE key = ? AND ends_at > ?`,
  );
  const sweep = database.prepare(`DELETE FROM ${table} WHERE ends_at <= ?`);
  let takes = 0;
  return {
    name: 'sqlite',
    take(key, limit, lifetime) {
      const now = Date.now();
      if (takes++ % SWEEP_EVERY === 0) sweep.run(now);
      const taken = take.get(key, now + Math.ceil(lifetime), now, now, now, now, limit) as Row | undefined; // what RETURNING names
      const row = taken ?? (read.get(key, now) as Row | undefined); // the columns selected
      return {
        isTaken: taken !== undefined,
        kept: row?.kept ?? 0,
        endsIn: Math.max(0, (row?.endsAt ?? now) - now),
      };
    },
    settle(key, how) {
      settle.run(how === 'clear' ? 0 : 1, how === 'keep' ? 1 : 0, key, Date.now());
    },
  };
}

interface Row {
  readonly kept: number;
  readonly endsAt: number;
}
