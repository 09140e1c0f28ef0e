import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { RouteCollection } from '#routing';
import { findApp, parseApp } from './find-app.js';
import { UsageError } from './usage-error.js';

/** The routes of an application, and what ends the application. */
export interface LoadedRoutes {
  readonly routes: RouteCollection;
  close(): Promise<void>;
}

/** Imports the application's module. `app` is a file, with `#name` for one of its exports; it is looked for where there is none. */
export async function loadRoutes(app: string | undefined): Promise<LoadedRoutes> {
  const { file, name } =
    app === undefined ? findApp(process.cwd(), { readsTypeScript: readsTypeScript() }) : parseApp(app);
  const path = resolve(file);
  if (!existsSync(path)) throw new UsageError(`There is no file ${path} (compile first?).`);
  const module: unknown = await import(pathToFileURL(path).href);
  for (const key of name === undefined ? ['app', 'default', 'routes'] : [name]) {
    const found = await made(property(module, key));
    const routes = isCollection(found) ? found : property(found, 'routes');
    if (isCollection(routes)) return { routes, close: () => closeApp(found) };
  }
  throw new UsageError(
    `${path} exports no application: "${name ?? 'app'}" must be one, or a function that makes one.`,
  );
}

function readsTypeScript(): boolean {
  return 'typescript' in process.features && Boolean(process.features.typescript);
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

async function closeApp(app: unknown): Promise<void> {
  const close = property(app, 'close');
  if (typeof close === 'function') await Reflect.apply(close, app, []);
}
