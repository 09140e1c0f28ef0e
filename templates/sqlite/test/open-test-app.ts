import type { App } from 'lookback';
import { createNotesApp } from '../src/app.ts';
import { openDatabase } from '../src/database.ts';

/** Creates an application for a test, with an empty in-memory database. Close it at the end. */
export async function openTestApp(): Promise<App> {
  const database = await openDatabase({ DATABASE_FILE: ':memory:' });
  await database.orm.migrator.up();
  return createNotesApp(database);
}
