import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { cliErrors } from './error-codes.js';

/** Returns whether Node runs TypeScript directly, as 22.18 and later do. */
export function readsTypeScript(): boolean {
  return 'typescript' in process.features && Boolean(process.features.typescript);
}

/**
 * Returns the module that has to be loaded before `file`: none for JavaScript and if Node runs TypeScript, otherwise
 * `tsx` from the application. A `.tsx` file always needs it. Throws `CLI_NO_TYPESCRIPT` if it is not installed.
 */
export function typeScriptLoader(file: string): string | undefined {
  const isJsx = file.endsWith('.tsx');
  if (!isJsx && (!/\.[cm]?ts$/.test(file) || readsTypeScript())) return undefined;
  try {
    return pathToFileURL(createRequire(file).resolve('tsx')).href;
  } catch {
    throw cliErrors.create('CLI_NO_TYPESCRIPT', { file, version: process.versions.node });
  }
}
