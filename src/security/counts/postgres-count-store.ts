import type { PostgresClient } from '../clients/postgres-client.js';
import { checkStoreName } from '../sessions/store-name.js';
import type { CountStore } from './count-store.js';

/** Counts that are over are swept once in so many takes. */
const SWEEP_EVERY = 500;
/** Makes two processes that start at once create the table one after the other. */
const SCHEMA_LOCK = 7_046_029_256;
/** The database's clock, in milliseconds: counts are shared by machines whose clocks differ. */
const NOW = `(extract(epoch FROM clock_timestamp()) * 1000)::bigint`;

/** Counts in PostgreSQL, shared by all processes. The table is made at the first use when it is missing. */
export function createPostgresCountStore(client: PostgresClient, prefix = 'lookback'): CountStore {
  const sql = statements(`${checkStoreName(prefix)}_counts`);
  let prepared: Promise<unknown> | undefined;
  let takes = 0;
  const query = async (text: string, values: unknown[]): Promise<unknown[]> => {
    prepared ??= client.query(sql.schema).catch((error: unknown) => {
      prepared = undefined; // the next use tries again
      throw error;
    });
    await prepared;
    return (await client.query(text, values)).rows;
  };
  return {
    name: 'postgres',
    async take(key, limit, lifetime) {
      if (takes++ % SWEEP_EVERY === 0) await query(sql.sweep, []);
      const [taken] = await query(sql.take, [key, limit, Math.ceil(lifetime)]);
      const [row] = taken === undefined ? await query(sql.read, [key]) : [taken];
      const { kept, ends_in: endsIn } = (row ?? { kept: 0, ends_in: 0 }) as Row; // the columns that both name
      return { isTaken: taken !== undefined, kept: Number(kept), endsIn: Math.max(0, Number(endsIn)) };
    },
    async settle(key, how) {
      await query(sql.settle, [key, how === 'clear' ? 0 : 1, how === 'keep' ? 1 : 0]);
    },
  };
}

interface Row {
  readonly kept: number;
  /** A bigint, which `pg` gives as text. */
  readonly ends_in: string | number;
}

function statements(table: string): Record<'schema' | 'take' | 'read' | 'settle' | 'sweep', string> {
  const isOver = `c.ends_at <= ${NOW}`;
  return {
    schema: `SELECT pg_advisory_xact_lock(${SCHEMA_LOCK});
      CREATE TABLE IF NOT EXISTS ${table} (
        key text PRIMARY KEY, kept integer NOT NULL, pending integer NOT NULL, ends_at bigint NOT NULL);
      CREATE INDEX IF NOT EXISTS ${table}_end ON ${table} (ends_at);`,
    take: `INSERT INTO ${table} AS c (key, kept, pending, ends_at) VALUES ($1, 0, 1, ${NOW} + $3::bigint)
      ON CONFLICT (key) DO UPDATE SET kept = CASE WHEN ${isOver} THEN 0 ELSE c.kept END,
        pending = CASE WHEN ${isOver} THEN 1 ELSE c.pending + 1 END,
        ends_at = CASE WHEN ${isOver} THEN excluded.ends_at ELSE c.ends_at END
      WHERE ${isOver} OR c.kept + c.pending < $2
      RETURNING kept, ends_at - ${NOW} AS ends_in`,
    read: `SELECT kept, ends_at - ${NOW} AS ends_in FROM ${table} WHERE key = $1 AND ends_at > ${NOW}`,
    settle: `UPDATE ${table} SET kept = kept * $2 + $3, pending = greatest(0, pending - 1)
      WHERE key = $1 AND ends_at > ${NOW}`,
    sweep: `DELETE FROM ${table} WHERE ends_at <= ${NOW}`,
  };
}
