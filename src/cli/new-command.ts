import { basename, resolve, dirname, join, relative } from 'node:path';
import { type Command, createCommand } from '#core/command';
import { type CliOutput, UsageError } from './command-line/terminal.js';
import { cliErrors } from './command-line/error-codes.js';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { isBuiltin } from 'node:module';
import { initAgents } from './agent-command.js';
import { fileURLToPath } from 'node:url';

const choices = { kind: ['api', 'pages'], database: ['sqlite', 'postgres'] } as const;

type Choice = keyof typeof choices;

/** `lookback new NAME`: writes an application to a new folder. */
export function newCommand(output: CliOutput): Command {
  return createCommand(
    'new',
    {
      description: 'Creates an application in the folder of that name',
      positionals: ['name'],
      options: {
        kind: { type: 'string', default: 'api', description: choices.kind.join(' or ') },
        database: { type: 'string', default: 'sqlite', description: choices.database.join(' or ') },
      },
    },
    ({ options, positionals: [target] }) => create(target, options, output),
  );
}

function create(
  target: string | undefined,
  given: Readonly<Record<Choice, string>>,
  output: CliOutput,
): void {
  if (target === undefined)
    throw new UsageError('Name the folder of the new application: lookback new my-api');
  const folder = resolve(target);
  const name = basename(folder);
  if (!/^[a-z0-9][a-z0-9._-]{0,200}$/.test(name)) throw cliErrors.create('CLI_BAD_PROJECT_NAME', { name });
  const kind = choose('kind', given.kind);
  const database = choose('database', given.database);
  const count = writeProject(folder, name, ['common', kind, database]) + initAgents(folder).length;
  output.out(
    [
      `${count} files are in ${folder}: ${kind === 'api' ? 'a JSON API' : 'pages'} on ${database === 'sqlite' ? 'SQLite' : 'PostgreSQL'}.`,
      '',
      `  cd ${target}`,
      '  npm install',
      ...(database === 'postgres' ? ['  docker compose up --wait    # PostgreSQL, unless you have one'] : []),
      '  npm test',
      '  npm run dev',
      '',
    ].join('\n'),
  );
}

function choose(what: Choice, given: string): string {
  const found = choices[what].find((word) => word === given);
  if (found === undefined)
    throw new UsageError(`--${what} is ${choices[what].join(' or ')}, not "${given}".`);
  return found;
}

/** Writes an application to an empty or new folder; later layers replace files. Throws `CLI_FOLDER_NOT_EMPTY`. */
function writeProject(folder: string, name: string, layers: readonly string[]): number {
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw cliErrors.create('CLI_FOLDER_NOT_EMPTY', { folder });
  const root = packageRoot();
  const source = addPackage(folder, root);
  const values: Readonly<Record<string, string>> = {
    name,
    source,
    copyPackage: source.startsWith('file:') ? `COPY ${packageFolder} ./${packageFolder}\n` : '',
    startDatabase: layers.includes('postgres')
      ? 'docker compose up --wait   # PostgreSQL, unless you have one: see .env.example\n'
      : '',
    database: name.replace(/[^a-z0-9]/g, '_'),
  };
  const written = new Set<string>();
  for (const template of layers.map((layer) => join(root, 'templates', layer)))
    for (const source of filesIn(template)) {
      const path = finalName(relative(template, source));
      const text = readFileSync(source, 'utf8').replace(
        /\{\{(\w+)\}\}/g,
        (whole, key: string) => values[key] ?? whole,
      );
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(
        join(folder, path),
        path === 'package.json' ? mergeDependencies(text, layers, root) : text,
      );
      written.add(path);
    }
  return written.size + (source.startsWith('file:') ? 1 : 0);
}

/** Where a project keeps a package that is in no registry; the folder is copied into its image. */
const packageFolder = 'vendor';

/**
 * Returns the version of lookback that the project installs: a registry version, if this package came from a registry.
 * Otherwise this package is packed into the project, so that it also installs on other machines and in an image. Throws
 * `CLI_PACKAGE_NOT_PACKED`.
 */
function addPackage(folder: string, root: string): string {
  if (isFromRegistry(root)) return ownManifest().version;
  const target = join(folder, packageFolder);
  mkdirSync(target, { recursive: true });
  const words = ['pack', '--ignore-scripts', '--silent', '--pack-destination', target];
  // On Windows, npm is a shell script that would split words at spaces.
  const shell = process.platform === 'win32';
  const packed = spawnSync('npm', shell ? words.map((word) => `"${word}"`) : words, {
    cwd: root,
    encoding: 'utf8',
    shell,
  });
  const [file] = readdirSync(target).filter((name) => name.endsWith('.tgz'));
  if (packed.status === 0 && file !== undefined) return `file:${packageFolder}/${file}`;
  rmSync(target, { recursive: true, force: true });
  const problem = packed.error?.message ?? packed.stderr.trim();
  throw cliErrors.create('CLI_PACKAGE_NOT_PACKED', { root, problem });
}

/** Uses npm's own record of its installation, or the enclosing project's manifest, which every package manager keeps. */
function isFromRegistry(root: string): boolean {
  const modules = dirname(root);
  const note = readJson(join(modules, '.package-lock.json'))?.packages?.[`node_modules/${basename(root)}`];
  if (note?.resolved !== undefined) return /^https?:/.test(note.resolved);
  for (let above = modules; dirname(above) !== above; above = dirname(above)) {
    const wanted = readJson(join(above, 'package.json'));
    const range = wanted?.dependencies?.['lookback'] ?? wanted?.devDependencies?.['lookback'];
    if (range !== undefined) return /^[\^~>=<]*\d|^[a-z]+$/.test(range); // a range, or a tag
  }
  return false;
}

interface NpmFile extends Partial<Manifest> {
  readonly packages?: Readonly<Record<string, { readonly resolved?: string }>>;
}

function readJson(file: string): NpmFile | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as NpmFile; // npm's form
  } catch {
    return undefined; // there is none
  }
}

function mergeDependencies(manifest: string, layers: readonly string[], root: string): string {
  const result = JSON.parse(manifest) as Manifest; // our template
  for (const layer of layers) {
    const file = join(root, 'templates', layer, '_dependencies.json');
    const more = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Partial<Manifest>) : {}; // our template as well
    result.dependencies = sorted({ ...result.dependencies, ...more.dependencies });
    result.devDependencies = sorted({ ...result.devDependencies, ...more.devDependencies });
  }
  // This Node version cannot store records in a file by itself.
  if (!isBuiltin('node:sqlite'))
    result.dependencies = sorted({ ...result.dependencies, '@photostructure/sqlite': '1.2.1' });
  return `${JSON.stringify(result, null, 2)}\n`;
}

interface Manifest {
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
}

function sorted(record: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== '_dependencies.json')
    .map(({ parentPath, name }) => join(parentPath, name));
}

/**
 * Returns the final name of a template. The templates use other names because npm omits `.gitignore`, this package runs
 * tests, and a nested package.json makes a package.
 */
function finalName(path: string): string {
  return path
    .replace(/(^|\/)dot-/, '$1.')
    .replace(/_test\.ts$/, '.test.ts')
    .replace(/^_package\.json$/, 'package.json');
}

/** Returns the nearest folder above this module with templates; both the bundle and tsc's output are below it. */
function packageRoot(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder))
    if (existsSync(join(folder, 'templates/common')) || dirname(folder) === folder) return folder;
}

export function ownManifest(): { readonly version: string; readonly engines: { readonly node: string } } {
  return JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as ReturnType<
    typeof ownManifest
  >; // from our own manifest
}
