import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cliErrors } from '../command-line/error-codes.js';

export interface ProjectChoices {
  readonly name: string;
  /** Folders of `templates/`; a file of a later one takes the place of an earlier one's. */
  readonly layers: readonly string[];
}

/**
 * Writes the files of an application into a folder that is empty or not there, and gives their paths in it. Throws
 * `CLI_FOLDER_NOT_EMPTY`.
 */
export function writeProject(folder: string, { name, layers }: ProjectChoices): readonly string[] {
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw cliErrors.create('CLI_FOLDER_NOT_EMPTY', { folder });
  const root = packageRoot();
  const values: Readonly<Record<string, string>> = {
    name,
    version: versionOf(root),
    database: name.replace(/[^a-z0-9]/g, '_'),
  };
  const files = new Map<string, string>();
  for (const layer of layers)
    for (const file of filesIn(join(root, 'templates', layer)))
      files.set(file, join(root, 'templates', layer, file));
  const written: string[] = [];
  for (const [file, source] of files) {
    const path = shownName(file);
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    const text = readFileSync(source, 'utf8').replace(
      /\{\{(\w+)\}\}/g,
      (whole, key: string) => values[key] ?? whole,
    );
    writeFileSync(join(folder, path), path === 'package.json' ? merged(text, layers, root) : text);
    written.push(path);
  }
  return written.toSorted();
}

/** The layers' own dependencies are added to those of all. */
function merged(manifest: string, layers: readonly string[], root: string): string {
  const result = JSON.parse(manifest) as Manifest; // our template
  for (const layer of layers) {
    const file = join(root, 'templates', layer, '_dependencies.json');
    const more = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Partial<Manifest>) : {}; // ours as well
    result.dependencies = sorted({ ...result.dependencies, ...more.dependencies });
    result.devDependencies = sorted({ ...result.devDependencies, ...more.devDependencies });
  }
  return `${JSON.stringify(result, null, 2)}\n`;
}

interface Manifest {
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
}

function sorted(record: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function* filesIn(folder: string, below = ''): Generator<string> {
  for (const entry of readdirSync(join(folder, below), { withFileTypes: true })) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) yield* filesIn(folder, path);
    else if (entry.name !== '_dependencies.json') yield path;
  }
}

/** npm leaves `.gitignore` out of packages, this one leaves tests out, and a package.json would be taken for a package. */
function shownName(path: string): string {
  return path
    .replace(/(^|\/)dot-/, '$1.')
    .replace(/_test\.ts$/, '.test.ts')
    .replace(/^_package\.json$/, 'package.json');
}

/** The nearest folder above this module with templates: both the bundle and what tsc compiles are below it. */
function packageRoot(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder))
    if (existsSync(join(folder, 'templates/common')) || dirname(folder) === folder) return folder;
}

function versionOf(root: string): string {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }; // ours
  return version;
}
