import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { App } from '#framework';
import type { RouteCollection } from '#routing';
import { findApp, parseApp } from './find-app.js';
import { readsTypeScript, typeScriptLoader } from './typescript-support.js';
import { UsageError } from './usage-error.js';

/** The option that names the module of the application. */
export const appOption: { readonly app: { readonly type: 'string'; readonly description: string } } = {
  app: {
    type: 'string',
    description: 'FILE[#EXPORT]: the module that exports the application, or a function that creates it',
  },
};

/** What a module exports as an application, and what ends it. */
export interface LoadedApp {
  readonly routes: RouteCollection;
  /** The application, where it is one and no collection of routes alone. */
  readonly app: App | undefined;
  close(): Promise<void>;
}

/**
 * Imports the application's module. `app` is a file, with `#name` for one of its exports; where there is none,
 * `LOOKBACK_APP` is taken, else it is looked for.
 */
export async function loadApp(app: string | undefined): Promise<LoadedApp> {
  const named = app ?? process.env['LOOKBACK_APP'];
  const { file, name } =
    named === undefined || named === '' ? findApp(process.cwd(), { readsTypeScript: true }) : parseApp(named);
  const path = resolve(file);
  if (!existsSync(path)) throw new UsageError(`There is no file ${path} (compile first?).`);
  const module = await importModule(path);
  for (const key of name === undefined ? ['app', 'default', 'routes'] : [name]) {
    const found = await made(property(module, key));
    const routes = isCollection(found) ? found : property(found, 'routes');
    if (isCollection(routes))
      return { routes, app: isApp(found) ? found : undefined, close: () => closeApp(found) };
  }
  throw new UsageError(
    `${path} exports no application: "${name ?? 'app'}" must be one, or a function that creates one.`,
  );
}

async function importModule(path: string): Promise<unknown> {
  const loader = typeScriptLoader(path);
  if (loader !== undefined && !readsTypeScript()) {
    process.setSourceMapsEnabled(true); // it compiles to other lines
    await import(loader); // registers itself
  }
  return await import(pathToFileURL(path).href);
}

async function made(value: unknown): Promise<unknown> {
  return typeof value === 'function' ? await value() : value;
}

function property(value: unknown, key: string): unknown {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return undefined;
  return Object.getOwnPropertyDescriptor(value, key)?.value ?? Reflect.get(value, key);
}

/** By its methods, so that a second copy of the package in the application's tree is understood too. */
function isCollection(value: unknown): value is RouteCollection {
  return ['all', 'aliases', 'group'].every((method) => typeof property(value, method) === 'function');
}

function isApp(value: unknown): value is App {
  return ['commands', 'close', 'fetch'].every((method) => typeof property(value, method) === 'function');
}

async function closeApp(app: unknown): Promise<void> {
  const close = property(app, 'close');
  if (typeof close === 'function') await Reflect.apply(close, app, []);
}
