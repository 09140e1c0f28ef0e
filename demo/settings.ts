import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomToken } from 'lookback/security';

/** The journal's settings. */
export interface JournalSettings {
  /** Folder for its files. */
  readonly folder: string;
  /** `postgres://…`; without it, the articles are in an SQLite file in the folder. */
  readonly databaseUrl: string | undefined;
  /** Signs cookies; the same after a restart. */
  readonly secret: string;
}

/** Reads the settings from environment variables. Creates the folder, and a secret in it, if they are missing. */
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
    // Fails if the file exists: another process may have been faster.
    writeFileSync(path, randomToken(), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  return readFileSync(path, 'utf8').trim();
}
