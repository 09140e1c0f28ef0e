import type { PostgresClient } from '../clients/postgres-client.js';
import { createPostgresCountStore } from '../counts/postgres-count-store.js';
import type { SessionStore } from './session-store.js';
import { checkStoreName } from './store-name.js';

export interface PostgresSessionStoreOptions {
  /** Beginning of the tables' names. Default `lookback`. */
  readonly prefix?: string;
}

/** Expired rows are swept once in so many writes. */
const SWEEP_EVERY = 500;
/** Makes two processes that start at once create the tables one after the other. */
const SCHEMA_LOCK = 7_046_029_254;
/** The database's clock, in milliseconds: locks are shared by machines whose clocks differ. */
const NOW = `(extract(epoch FROM clock_timestamp()) * 1000)::bigint`;

/** Sessions in PostgreSQL, shared by all processes. The tables are made at the first use when they are missing. */
export function createPostgresSessionStore(
  client: PostgresClient,
  options: PostgresSessionStoreOptions = {},
): SessionStore {
  const sql = statements(checkStoreName(options.prefix ?? 'lookback'));
  let prepared: Promise<unknown> | undefined;
  let writes = 0;
  const query = async (
    text: string,
    values: unknown[],
  ): Promise<{ rows: unknown[]; rowCount: number | null }> => {
    prepared ??= client.query(sql.schema).catch((error: unknown) => {
      prepared = undefined; // the next use tries again
      throw error;
    });
    await prepared;
    return client.query(text, values);
  };
  return {
    name: 'postgres',
    counts: createPostgresCountStore(client, options.prefix),
    async read(key) {
      const { rows } = await query(sql.read, [key, Date.now()]);
      const row = rows[0] as { data: string; created_at: string; expires_at: string } | undefined; // the columns selected
      if (row === undefined) return undefined;
      return { data: row.data, createdAt: Number(row.created_at), expiresAt: Number(row.expires_at) };
    },
    async lock(key, owner, milliseconds) {
      return (await query(sql.lock, [key, owner, milliseconds])).rowCount === 1;
    },
    async unlock(key, owner) {
      await query(sql.unlock, [key, owner]);
    },
    async write(key, owner, record) {
      if (writes++ % SWEEP_EVERY === 0) await query(sql.sweep, [Date.now()]);
      if (record === undefined) return (await query(sql.remove, [key, owner])).rows.length === 1;
      const { data, createdAt, expiresAt } = record;
      return (await query(sql.write, [key, owner, data, createdAt, expiresAt])).rowCount === 1;
    },
    async touch(key, expiresAt) {
      await query(sql.touch, [key, expiresAt]);
    },
  };
}

function statements(
  prefix: string,
): Record<'schema' | 'read' | 'lock' | 'unlock' | 'write' | 'remove' | 'touch' | 'sweep', string> {
  const [sessions, locks] = [`${prefix}_sessions`, `${prefix}_session_locks`];
  // FOR UPDATE: nobody can take the lock over between this look and the write that rests on it.
  const held = `held AS (SELECT 1 FROM ${locks} WHERE key = $1 AND owner = $2 AND held_until > ${NOW} FOR UPDATE)`;
  return {
    schema: `SELECT pg_advisory_xact_lock(${SCHEMA_LOCK});
      CREATE TABLE IF NOT EXISTS ${sessions} (
        key text PRIMARY KEY, data text NOT NULL, created_at bigint NOT NULL, expires_at bigint NOT NULL);
      CREATE INDEX IF NOT EXISTS ${sessions}_end ON ${sessions} (expires_at);
      CREATE TABLE IF NOT EXISTS ${locks} (key text PRIMARY KEY, owner text NOT NULL, held_until bigint NOT NULL);`,
    read: `SELECT data, created_at, expires_at FROM ${sessions} WHERE key = $1 AND expires_at > $2`,
    lock: `INSERT INTO ${locks} AS l (key, owner, held_until) VALUES ($1, $2, ${NOW} + $3)
      ON CONFLICT (key) DO UPDATE SET owner = excluded.owner, held_until = excluded.held_until
      WHERE l.held_until <= ${NOW}`,
    unlock: `DELETE FROM ${locks} WHERE key = $1 AND owner = $2`,
    write: `WITH ${held} INSERT INTO ${sessions} (key, data, created_at, expires_at) SELECT $1, $3, $4, $5 FROM held
      ON CONFLICT (key) DO UPDATE SET data = excluded.data, created_at = excluded.created_at, expires_at = excluded.expires_at`,
    remove: `WITH ${held}, removed AS (DELETE FROM ${sessions} WHERE key = $1 AND EXISTS (SELECT 1 FROM held))
      SELECT 1 FROM held`,
    touch: `UPDATE ${sessions} SET expires_at = $2 WHERE key = $1`,
    sweep: `WITH swept AS (DELETE FROM ${locks} WHERE held_until <= ${NOW}) DELETE FROM ${sessions} WHERE expires_at <= $1`,
  };
}
