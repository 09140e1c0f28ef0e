import { loadEnvironment } from 'lookback/configuration';
import { type DatabaseSettings, readDatabaseSettings } from './database.ts';

/** Every environment variable that this application reads, in addition to lookback's own. */
export type Settings = DatabaseSettings;

export function readSettings(): Settings {
  loadEnvironment(); // .env
  return readDatabaseSettings(process.env);
}
