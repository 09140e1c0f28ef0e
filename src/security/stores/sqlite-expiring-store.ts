import type { SqliteClient } from '../clients/sqlite-database.js';
import type { ExpiringStore, StoreOptions } from './expiring-store.js';
import { createSqlStore, tableSchema } from './sql-store.js';
import { checkStoreName } from './store-name.js';

/** Entries in an SQLite file that several processes may share. The table is made when it is missing. */
export function createSqliteExpiringStore(database: SqliteClient, options: StoreOptions = {}): ExpiringStore {
  const table = `${checkStoreName(options.prefix ?? 'lookback')}_entries`;
  database.exec(tableSchema(table));
  const prepared = new Map<string, ReturnType<SqliteClient['prepare']>>();
  return createSqlStore({
    name: 'sqlite',
    table,
    now: `CAST((julianday('now') - 2440587.5) * 86400000 AS integer)`,
    run(sql, values) {
      let statement = prepared.get(sql);
      if (statement === undefined) {
        statement = database.prepare(sql.replace(/\$(?=\d)/g, '?'));
        prepared.set(sql, statement);
      }
      return statement.get(...values);
    },
  });
}
