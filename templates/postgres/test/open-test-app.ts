import { randomUUID } from 'node:crypto';
import type { App } from 'lookback';
import { createNotesApp } from '../src/app.ts';
import { openDatabase } from '../src/database.ts';

/**
 * Creates an application for a test, with its own empty database on the server at TEST_DATABASE_URL. Closing the
 * application drops it.
 */
export async function openTestApp(): Promise<App> {
  const url = new URL(
    process.env['TEST_DATABASE_URL'] ?? 'postgres://postgres:postgres@127.0.0.1:5432/postgres',
  );
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  url.pathname = `/${name}`;
  const database = await openDatabase({ DATABASE_URL: url.href });
  await database.orm.migrator.up();
  return createNotesApp({
    ...database,
    async close() {
      await database.orm.schema.dropDatabase(name);
      await database.close();
    },
  });
}
