import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { RouteCollection } from '#routing';
import { UsageError } from './usage-error.js';

/** The routes of an application, and what ends the application. */
export interface LoadedRoutes {
  readonly routes: RouteCollection;
  close(): Promise<void>;
}

/** Imports the application's module. `app` is a file, with `#name` for one of its exports. */
export async function loadRoutes(app: string | undefined): Promise<LoadedRoutes> {
  const [file = '', name] = (app ?? findApp()).split('#');
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

function findApp(): string {
  const configured = existsSync('package.json') ? property(readJson('package.json'), 'lookback') : undefined;
  const app = property(configured, 'app');
  if (typeof app === 'string') return app;
  const found = ['dist/app.js', 'app.js'].find((file) => existsSync(file));
  if (found !== undefined) return found;
  throw new UsageError(
    'No application found: name its module with --app, or in package.json as "lookback": { "app": … }.',
  );
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    throw new UsageError(`${file} is no valid JSON.`);
  }
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
  return ['all', 'aliases', 'replaced'].every((method) => typeof property(value, method) === 'function');
}

async function closeApp(app: unknown): Promise<void> {
  const close = property(app, 'close');
  if (typeof close === 'function') await Reflect.apply(close, app, []);
}
