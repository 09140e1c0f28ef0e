import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { UsageError } from './usage-error.js';

/** Where an application's module mostly is: as compiled, then as written. */
const usualFiles: readonly string[] = [
  'dist/app.js',
  'dist/src/app.js',
  'build/app.js',
  'app.js',
  'app.mjs',
  'src/app.js',
  'src/app.mjs',
];
/** Node 22.18 and later import TypeScript as it is. */
const typedFiles: readonly string[] = ['app.ts', 'src/app.ts'];

/** A module, and the name of its export. */
export interface AppPlace {
  readonly file: string;
  readonly name: string | undefined;
}

/**
 * The application's module when none was named: what `lookback.app` of the nearest package.json says, else the first
 * usual file beside that package.json. Throws a `UsageError` that lists where it looked.
 */
export function findApp(from: string, { readsTypeScript }: { readonly readsTypeScript: boolean }): AppPlace {
  const manifest = findManifest(from);
  const folder = manifest === undefined ? from : dirname(manifest);
  const configured = manifest === undefined ? undefined : configuredApp(manifest);
  if (configured !== undefined) {
    const { file, name } = parseApp(configured);
    const path = join(folder, file);
    if (existsSync(path)) return { file: path, name };
    throw new UsageError(
      `"lookback": { "app": "${configured}" } of ${manifest} names a file that does not exist (compile first?).`,
    );
  }
  const candidates = [...usualFiles, ...(readsTypeScript ? typedFiles : [])];
  const found = candidates.find((file) => existsSync(join(folder, file)));
  if (found !== undefined) return { file: join(folder, found), name: undefined };
  throw new UsageError(
    [
      'No application was found. Looked for:',
      manifest === undefined
        ? `  a package.json in ${from} or above it (there is none)`
        : `  "lookback": { "app": "FILE#EXPORT" } in ${relative(from, manifest)} (not set)`,
      `  ${candidates.join(', ')} in ${folder}`,
      'Name the module that exports the application with --app, or in package.json.',
    ].join('\n'),
  );
}

/** A file with `#name` for one of its exports. */
export function parseApp(text: string): AppPlace {
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

function configuredApp(manifest: string): string | undefined {
  const lookback = fieldOf(readJson(manifest), 'lookback');
  if (lookback === undefined) return undefined;
  const app = fieldOf(lookback, 'app');
  if (typeof app === 'string' && app !== '') return app;
  throw new UsageError(
    `"lookback" of ${manifest} names no "app": write "lookback": { "app": "dist/app.js" }.`,
  );
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    throw new UsageError(`${file} is not valid JSON.`);
  }
}

function fieldOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.getOwnPropertyDescriptor(value, key)?.value
    : undefined;
}
