import type { PostgresClient } from '../clients/postgres-client.js';
import { checkStoreName } from '../sessions/store-name.js';
import type { RememberedLogin, RememberMeStore } from './remember-me-store.js';

export interface PostgresRememberMeStoreOptions {
  /** Beginning of the table's name. Default `lookback`. */
  readonly prefix?: string;
}

/** Makes two processes that start at once create the table one after the other. */
const SCHEMA_LOCK = 7_046_029_255;

interface Row {
  readonly series: string;
  readonly identifier: string;
  readonly fingerprint: string;
  readonly token_hash: string;
  readonly previous_hash: string | null;
  readonly rotated_at: string;
  readonly expires_at: string;
}

/** Remembered logins in PostgreSQL. The table is made at the first use; expired rows go at the next insert. */
export function createPostgresRememberMeStore(
  client: PostgresClient,
  options: PostgresRememberMeStoreOptions = {},
): RememberMeStore {
  const table = `${checkStoreName(options.prefix ?? 'lookback')}_remembered_logins`;
  let prepared: Promise<unknown> | undefined;
  const query = async (
    text: string,
    values: unknown[],
  ): Promise<{ rows: unknown[]; rowCount: number | null }> => {
    prepared ??= client.query(schema(table)).catch((error: unknown) => {
      prepared = undefined; // the next use tries again
      throw error;
    });
    await prepared;
    return client.query(text, values);
  };
  return {
    name: 'postgres',
    async insert({ series, identifier, fingerprint, tokenHash, rotatedAt, expiresAt }) {
      await query(`DELETE FROM ${table} WHERE expires_at <= $1`, [Date.now()]);
      await query(
        `INSERT INTO ${table} (series, identifier, fingerprint, token_hash, rotated_at, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6)`,
        [series, identifier, fingerprint, tokenHash, rotatedAt, expiresAt],
      );
    },
    async find(series) {
      const { rows } = await query(`SELECT * FROM ${table} WHERE series = $1`, [series]);
      return rows[0] === undefined ? undefined : toLogin(rows[0] as Row); // the table's own columns
    },
    async rotate(series, from, { tokenHash, rotatedAt, expiresAt }) {
      const { rowCount } = await query(
        `UPDATE ${table} SET previous_hash = token_hash, token_hash = $3, rotated_at = $4, expires_at = $5
         WHERE series = $1 AND token_hash = $2`,
        [series, from, tokenHash, rotatedAt, expiresAt],
      );
      return rowCount === 1;
    },
    async remove(series) {
      await query(`DELETE FROM ${table} WHERE series = $1`, [series]);
    },
    async removeUser(identifier) {
      await query(`DELETE FROM ${table} WHERE identifier = $1`, [identifier]);
    },
  };
}

function schema(table: string): string {
  return `SELECT pg_advisory_xact_lock(${SCHEMA_LOCK});
    CREATE TABLE IF NOT EXISTS ${table} (
      series text PRIMARY KEY, identifier text NOT NULL, fingerprint text NOT NULL, token_hash text NOT NULL,
      previous_hash text, rotated_at bigint NOT NULL, expires_at bigint NOT NULL);
    CREATE INDEX IF NOT EXISTS ${table}_user ON ${table} (identifier);`;
}

function toLogin(row: Row): RememberedLogin {
  return {
    series: row.series,
    identifier: row.identifier,
    fingerprint: row.fingerprint,
    tokenHash: row.token_hash,
    previousHash: row.previous_hash ?? undefined,
    rotatedAt: Number(row.rotated_at),
    expiresAt: Number(row.expires_at),
  };
}
