import { type App, createApp } from 'lookback';
import { health } from 'lookback/web';
import { type Database, openDatabase } from './database.ts';
import { addNotePages } from './note-pages.ts';
import { readSettings, type Settings } from './settings.ts';

export async function buildApp(settings: Settings = readSettings()): Promise<App> {
  return createNotesApp(await openDatabase(settings));
}

/** Creates the application on a database; tests pass their own. */
export function createNotesApp(database: Database): App {
  const app = createApp({
    persistence: database,
    extensions: [health({ checks: { database: () => database.orm.isConnected() } })], // /healthz and /readyz
  });
  addNotePages(app, database);
  return app;
}
