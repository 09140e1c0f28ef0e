import { type ExpiringStore, type StoreOptions, checkStoreName } from './expiring-store.js';
import { createSqlStore, tableSchema } from './sql-store.js';

/** The part of the API of a `pg` pool or client that is used. */
interface PostgresClient {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[]; rowCount: number | null }>;
}

/** Id of the advisory lock under which the table is created, so that processes do not create it concurrently. */
const schemaLock = 7_046_029_254;

/** Creates a store in PostgreSQL, shared by all processes. The table is created on first use if it is missing. */
export function createPostgresExpiringStore(
  client: PostgresClient,
  options: StoreOptions = {},
): ExpiringStore {
  const table = `${checkStoreName(options.prefix ?? 'lookback')}_entries`;
  let prepared: Promise<unknown> | undefined;
  return createSqlStore({
    name: 'postgres',
    table,
    now: `(extract(epoch FROM clock_timestamp()) * 1000)::bigint`,
    async run(sql, values) {
      prepared ??= client
        .query(`SELECT pg_advisory_xact_lock(${schemaLock}); ${tableSchema(table)}`)
        .catch((error: unknown) => {
          prepared = undefined; // the next use retries
          throw error;
        });
      await prepared;
      return (await client.query(sql, [...values])).rows[0];
    },
  });
}
