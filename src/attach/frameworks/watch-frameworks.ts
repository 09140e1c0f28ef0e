import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type KnownModule, LoadedModules, type Undo } from '#patches';
import { watchH3 } from './watch-h3.js';
import { watchHono } from './watch-hono.js';
import { watchKoa } from './watch-koa.js';
import { watchNest } from './watch-nest.js';

const commonModules: readonly KnownModule[] = [
  { file: /[\\/]koa[\\/]lib[\\/]application\.js$/, patch: watchKoa },
  {
    file: /[\\/]hono[\\/]dist[\\/]cjs[\\/]router[\\/]smart-router[\\/]router\.js$/,
    name: 'SmartRouter',
    patch: watchHono,
  },
  {
    file: /[\\/]@nestjs[\\/]core[\\/]guards[\\/]guards-consumer\.js$/,
    name: 'GuardsConsumer',
    patch: watchNest,
  },
  {
    file: /[\\/]@nestjs[\\/]core[\\/]interceptors[\\/]interceptors-consumer\.js$/,
    name: 'InterceptorsConsumer',
    patch: watchNest,
  },
];

/** Frameworks as ECMAScript modules, of which Node shows nobody what is loaded. */
const modules: readonly {
  readonly package: string;
  readonly door: string;
  readonly name: string;
  readonly patch: (prototype: object) => Undo | undefined;
}[] = [
  { package: 'hono', door: './router/smart-router', name: 'SmartRouter', patch: watchHono },
  { package: 'h3', door: '.', name: 'H3', patch: watchH3 },
];

/**
 * Watches the frameworks that need no line in the application: Koa, Hono, Nest and h3. Those of CommonJS are found among the loaded
 * modules when `look` is called; ECMAScript modules are imported from where the program would import them, which gives
 * the same ones.
 */
export async function watchFrameworks(program: string): Promise<LoadedModules> {
  await Promise.all(
    modules.map(async ({ package: name, door, name: exported, patch }) => {
      const file = findModule(program, name, door);
      if (file === undefined) return;
      const module = (await import(pathToFileURL(file).href).catch(() => ({}))) as Record<
        string,
        { prototype?: object } | undefined
      >; // a module
      const prototype = module[exported]?.prototype;
      if (prototype !== undefined) patch(prototype);
    }),
  );
  return new LoadedModules(commonModules);
}

/** The file of a package's door as `import` in the program finds it; undefined where the program has no such package. */
function findModule(program: string, name: string, door: string): string | undefined {
  try {
    for (let folder = dirname(realpathSync(program)); ; folder = dirname(folder)) {
      const home = join(folder, 'node_modules', name);
      if (existsSync(join(home, 'package.json'))) {
        const { exports } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as {
          exports?: Record<string, unknown>;
        }; // a package's
        const target = targetOf(exports?.[door]);
        return target === undefined ? undefined : realpathSync(join(home, target));
      }
      if (folder === dirname(folder)) return undefined;
    }
  } catch {
    return undefined;
  }
}

/** What stands under the first condition that holds for `import` in Node. */
function targetOf(entry: unknown): string | undefined {
  if (typeof entry === 'string') return entry;
  if (typeof entry !== 'object' || entry === null) return undefined;
  for (const [condition, inner] of Object.entries(entry))
    if (['node', 'import', 'module-sync', 'default'].includes(condition)) return targetOf(inner);
  return undefined;
}
