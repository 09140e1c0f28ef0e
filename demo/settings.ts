import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomToken } from 'lookback/security';

/** The settings of the journal. */
export interface JournalSettings {
  /** Where it keeps its files. */
  readonly folder: string;
  /** `postgres://…`; the articles are in an SQLite file of the folder without it. */
  readonly databaseUrl: string | undefined;
  /** Signs cookies; the same at every start. */
  readonly secret: string;
}

/** Reads the settings from environment variables. The folder, and a secret in it, are made when they are missing. */
export function readSettings(variables: NodeJS.ProcessEnv): JournalSettings {
  const folder = variables['DEMO_FOLDER'] ?? 'var';
  mkdirSync(folder, { recursive: true });
  const databaseUrl = variables['DATABASE_URL'];
  return {
    folder,
    databaseUrl: databaseUrl === '' ? undefined : databaseUrl,
    secret: variables['APP_SECRET'] ?? keptSecret(join(folder, 'secret')),
  };
}

function keptSecret(path: string): string {
  try {
    // Refused when the file is there: another process may have been faster.
    writeFileSync(path, randomToken(), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  return readFileSync(path, 'utf8').trim();
}
