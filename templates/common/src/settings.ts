import type { ConfigurationOf } from 'lookback/configuration';
import { defineConfiguration, loadEnvironment } from 'lookback/configuration';
import { databaseVariables } from './database.ts';

/** Every variable of the environment that this application reads, beside those of lookback itself. */
const variables = { ...databaseVariables };

export type Settings = ConfigurationOf<typeof variables>;

export function readSettings(): Settings {
  loadEnvironment(); // .env
  return defineConfiguration(variables);
}
