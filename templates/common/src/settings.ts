import type { ConfigurationOf } from 'lookback/configuration';
import { defineConfiguration, loadEnvironment } from 'lookback/configuration';
import { databaseVariables } from './database.ts';

/** Every environment variable that this application reads, in addition to those of lookback itself. */
const variables = { ...databaseVariables };

export type Settings = ConfigurationOf<typeof variables>;

export function readSettings(): Settings {
  loadEnvironment(); // .env
  return defineConfiguration(variables);
}
