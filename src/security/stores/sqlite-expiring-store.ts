import { type ExpiringStore, type StoreOptions, checkStoreName } from './expiring-store.js';
import { createSqlStore, tableSchema } from './sql-store.js';

/**
 * The part of the API of `node:sqlite` that is used. Accepts the `DatabaseSync` of Node and of `@photostructure/sqlite`.
 */
interface SqliteClient {
  exec(sql: string): void;
  prepare(sql: string): {
    get(...values: (string | number)[]): unknown;
    run(...values: (string | number)[]): { changes: number | bigint };
  };
}

/** Creates a store in an SQLite file, which several processes may share. The table is created if it is missing. */
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
