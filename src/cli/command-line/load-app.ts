import { existsSync, readFileSync } from 'node:fs';
import { resolve, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { App } from '#framework/app';
import type { RouteCollection } from '#core/routing';
import { NoCommandsError, UsageError } from './terminal.js';
import { createRequire } from 'node:module';
import { cliErrors } from './error-codes.js';

export const appOption = {
  app: {
    type: 'string',
    description: 'FILE[#EXPORT]: the module that exports the application, or a function that creates it',
  },
} as const;

export interface LoadedApp {
  readonly routes: RouteCollection;
  /** The application; undefined if the module exports only a collection of routes. */
  readonly app: App | undefined;
}

/**
 * Imports the application's module: a file, optionally with `#name` of an export; otherwise `LOOKBACK_APP`, or the
 * usual locations.
 */
export async function loadApp(app: string | undefined): Promise<LoadedApp> {
  const named = app ?? process.env['LOOKBACK_APP'];
  const { file, name } = named === undefined || named === '' ? findApp(process.cwd()) : parseApp(named);
  const path = resolve(file);
  if (!existsSync(path)) throw new UsageError(`There is no file ${path} (compile first?).`);
  const module = await importModule(path);
  for (const key of name === undefined ? ['app', 'default', 'routes'] : [name]) {
    const exported = property(module, key);
    const found: unknown = typeof exported === 'function' ? await exported() : exported;
    const routes = isCollection(found) ? found : property(found, 'routes');
    if (isCollection(routes)) return { routes, app: isApp(found) ? found : undefined };
  }
  throw new UsageError(
    `${path} exports no application: "${name ?? 'app'}" must be one, or a function that creates one.`,
  );
}

/** Tells `serve`, which may belong to another copy of the package, that a command loads the module. */
const loadedByCommand = Symbol.for('lookback.loadedByCommand');

async function importModule(path: string): Promise<unknown> {
  const loader = typeScriptLoader(path);
  if (loader !== undefined) {
    process.setSourceMapsEnabled(true); // compiled code has other line numbers
    await import(loader); // the loader registers itself
  }
  Reflect.set(globalThis, loadedByCommand, true);
  try {
    return await import(pathToFileURL(path).href);
  } finally {
    Reflect.deleteProperty(globalThis, loadedByCommand); // an application command may serve
  }
}

function property(value: unknown, key: string): unknown {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return undefined;
  return Reflect.get(value, key);
}

/** Checks methods rather than the class, to accept another copy of the package in the application's tree. */
function isCollection(value: unknown): value is RouteCollection {
  return ['all', 'group'].every((method) => typeof property(value, method) === 'function');
}

function isApp(value: unknown): value is App {
  return ['commands', 'close', 'fetch'].every((method) => typeof property(value, method) === 'function');
}

/** Usual locations for an application's module: compiled files first, then sources. */
const usualFiles: readonly string[] = [
  'dist/app.js',
  'dist/src/app.js',
  'build/app.js',
  'app.js',
  'app.mjs',
  'src/app.js',
  'src/app.mjs',
  'app.ts',
  'src/app.ts',
];

interface AppLocation {
  readonly file: string;
  readonly name: string | undefined;
}

/**
 * Finds the module named in the nearest package.json, or the first usual file next to it. Throws a `UsageError` if
 * there is none.
 */
function findApp(from: string): AppLocation {
  const manifest = findManifest(from);
  const folder = manifest === undefined ? from : dirname(manifest);
  const settings: unknown = manifest === undefined ? {} : JSON.parse(readFileSync(manifest, 'utf8'));
  const configured = property(property(settings, 'lookback'), 'app');
  const { file, name } = parseApp(
    typeof configured === 'string' ? configured : usualFiles.find((one) => existsSync(join(folder, one))),
  );
  if (file !== '') return { file: join(folder, file), name };
  throw new NoCommandsError(
    `No application was found: ${manifest ?? 'a package.json'} has no "lookback": { "app": "FILE#EXPORT" }, and there ` +
      `is no ${usualFiles.join(', ')} in ${folder}. Name the module that exports the application with --app.`,
  );
}

/** Parses a file name, optionally with an export as `#name`. */
function parseApp(text: string = ''): AppLocation {
  const [file = '', name] = text.split('#');
  return { file, name };
}

function findManifest(from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const path = join(folder, 'package.json');
    if (existsSync(path)) return path;
    if (dirname(folder) === folder) return undefined;
  }
}

/** Returns whether Node runs TypeScript directly, as versions from 22.18 on do. */
function readsTypeScript(): boolean {
  return 'typescript' in process.features && Boolean(process.features.typescript);
}

/**
 * Returns the module to load before `file`: `tsx` if Node cannot read the file itself. Throws `CLI_NO_TYPESCRIPT` if it
 * is missing.
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
