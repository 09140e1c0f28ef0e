import { type App, createApp } from 'lookback';
import { type Database, openDatabase } from './database.ts';
import { addNotePages } from './note-pages.ts';
import { readSettings, type Settings } from './settings.ts';

export async function buildApp(settings: Settings = readSettings()): Promise<App> {
  return createNotesApp(await openDatabase(settings));
}

/** The application on a database; tests give it one of their own. */
export function createNotesApp(database: Database): App {
  const app = createApp({ persistence: database });
  app.get('/health', () => ({ status: 'ok' }), { name: 'health' });
  addNotePages(app, database);
  return app;
}
