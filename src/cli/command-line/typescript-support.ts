import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { cliErrors } from './error-codes.js';

/** Node 22.18 and later run TypeScript as it is. */
export function readsTypeScript(): boolean {
  return 'typescript' in process.features && Boolean(process.features.typescript);
}

/**
 * The module that has to be loaded before `file` can be: none for JavaScript and where Node reads TypeScript, else `tsx`
 * of the application. `.tsx` is nothing that Node reads. Throws `CLI_NO_TYPESCRIPT` where it is not installed.
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
