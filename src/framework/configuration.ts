import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type ErrorCodes, defineErrorCodes } from '#core/coded-error';
import { checkOptions, optionsSchema, type OptionsSchema, text } from '#core/options';

interface LoadEnvironmentOptions {
  /** Folder that contains the files. Default: the working directory. */
  readonly folder?: string;
}

export const loadEnvironmentSchema: OptionsSchema<LoadEnvironmentOptions> =
  optionsSchema<LoadEnvironmentOptions>({ folder: text });

/**
 * Loads `.env` files into `process.env`, in this order: `.env.ENV.local`, `.env.local` (not in tests), `.env.ENV`,
 * `.env`. A variable keeps the first value it gets; variables of the process itself are never changed. `ENV` is the
 * process's `APP_ENV`, otherwise `NODE_ENV`; default `dev`. Returns the paths of the files that exist. Throws
 * `CONFIGURATION_UNREADABLE_FILE`.
 */
export function loadEnvironment(options: LoadEnvironmentOptions = {}): readonly string[] {
  checkOptions('loadEnvironment()', options, loadEnvironmentSchema);
  const { folder = process.cwd() } = options;
  const env = environmentName();
  const names = [`.env.${env}.local`, ...(env === 'test' ? [] : ['.env.local']), `.env.${env}`, '.env'];
  const files = names.map((name) => join(folder, name)).filter((file) => existsSync(file));
  for (const file of files) {
    try {
      process.loadEnvFile(file);
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unknown';
      throw configurationErrors.create('CONFIGURATION_UNREADABLE_FILE', { file, reason }, { cause: error });
    }
  }
  return files;
}

/** Returns the environment: `dev`, `test`, `prod`, or an application-defined name. */
export function environmentName(): string {
  const given = [process.env['APP_ENV'], process.env['NODE_ENV']].find(
    (name) => name !== undefined && name !== '',
  );
  if (given === undefined) return process.env['NODE_TEST_CONTEXT'] === undefined ? 'dev' : 'test';
  if (given === 'development') return 'dev';
  const name = given === 'production' ? 'prod' : given;
  return /^[\w-]+$/.test(name) ? name : 'prod'; // the name becomes part of a file name
}

const table = {
  CONFIGURATION_UNREADABLE_FILE: {
    message: '{file} cannot be read: {reason}.',
    fix: 'Check its permissions, or remove it.',
  },
} as const;

export const configurationErrors: ErrorCodes<typeof table> = defineErrorCodes(table);
