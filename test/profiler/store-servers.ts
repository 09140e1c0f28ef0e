import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { startPostgres } from '../persistence/start-postgres.js';

/** A PostgreSQL server for record store tests, with a separate database whose owner has no other rights. */
export interface StorePostgres {
  /** The database's URL; a schema is appended as `?schema=`. */
  readonly address: string;
  query(text: string): Promise<readonly Record<string, unknown>[]>;
  /** Runs a statement as an administrator. */
  admin(text: string): Promise<void>;
  stop(): Promise<void>;
}

/** The server at `POSTGRES_URL` or the default port, if it lets us create a database; otherwise this run's server. */
export async function findPostgres(): Promise<StorePostgres> {
  const usual = process.env['POSTGRES_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres';
  const name = `lookback_test_${randomBytes(6).toString('hex')}`;
  try {
    return await createDatabase(usual, name, async () => undefined);
  } catch {
    const server = await startPostgres();
    const address = `postgres://postgres:postgres@127.0.0.1:${server.port}/postgres`;
    return createDatabase(address, name, () => server.stop());
  }
}

async function createDatabase(
  address: string,
  name: string,
  stop: () => Promise<void>,
): Promise<StorePostgres> {
  const admin = new pg.Client({ connectionString: address, connectionTimeoutMillis: 1000 });
  await admin.connect();
  await admin.query(`CREATE ROLE ${name} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD '${name}'`);
  await admin.query(`CREATE DATABASE ${name} OWNER ${name}`);
  // Durability after a crash of the machine does not matter here.
  await admin.query(`ALTER DATABASE ${name} SET synchronous_commit = off`);
  const url = new URL(address);
  url.pathname = `/${name}`;
  url.username = name;
  url.password = name;
  const own = new pg.Client({ connectionString: url.href });
  await own.connect();
  return {
    address: url.href,
    query: async (text) => (await own.query<Record<string, unknown>>(text)).rows,
    admin: async (text) => void (await admin.query(text)),
    async stop() {
      await own.end();
      await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await admin.query(`DROP ROLE ${name}`);
      await admin.end();
      await stop();
    },
  };
}
