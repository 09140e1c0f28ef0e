import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Undo } from './replace-method.js';

/** A file of a library that exports a class whose prototype is changed. */
export interface KnownModule {
  /** Below the package's folder, with its name: `koa/lib/application.js`; or a module of Node's own: `node:sqlite`. */
  readonly file: string;
  /** Of the class; default: what the file exports itself. */
  readonly name?: string;
  /** Whether the program seems to use it, where importing it costs something. */
  readonly isUsed?: () => boolean;
  readonly patch: (prototype: object) => Undo | undefined;
}

/** Loaded CommonJS modules by their files: the same for everyone who loads them, by `require` and by `import`. */
const { cache } = createRequire(import.meta.url);

/**
 * Looks for known files among the modules that are loaded, and patches their classes: no trap of loading order, no hook in the
 * loader. `look` costs a walk over the names of the modules and does it ever more seldom.
 */
export class LoadedModules {
  readonly #known: readonly KnownModule[];
  readonly #undos: Undo[] = [];
  readonly #seen = new Set<string>();
  #calls = 0;

  constructor(known: readonly KnownModule[]) {
    this.#known = known;
  }

  /** For each request: looks at the 1st, 2nd, 4th, 8th … */
  look(): void {
    const calls = ++this.#calls;
    if ((calls & (calls - 1)) !== 0) return;
    for (const known of this.#known)
      if (isLoadedBuiltin(known.file)) this.#patch(known, process.getBuiltinModule(known.file));
    for (const file of Object.keys(cache)) {
      const at = file.lastIndexOf('node_modules');
      if (at === -1 || this.#seen.has(file) || cache[file]?.loaded !== true) continue;
      this.#seen.add(file);
      const inside = file.slice(at + 'node_modules/'.length).replaceAll('\\', '/');
      for (const known of this.#known) if (known.file === inside) this.#patch(known, cache[file].exports);
    }
  }

  /**
   * Imports those that are ECMAScript modules from where the program would import them, which gives the same ones: Node shows
   * no one which of them are loaded. Packages that the program does not name as its own are left: they are others' in the same folder,
   * and loading them would cost its start and its memory.
   */
  async import(program: string): Promise<void> {
    const packages = readDependencies(program);
    await Promise.all(
      this.#known.map(async (known) => {
        const isUsed = (known.isUsed?.() ?? true) && packages?.has(packageOf(known.file)) !== false;
        const file = isUsed ? findFile(program, known.file) : undefined;
        // What cannot be imported the program has not imported either.
        if (file !== undefined)
          this.#patch(known, await import(pathToFileURL(file).href).catch(() => undefined));
      }),
    );
  }

  undo(): void {
    for (const undo of this.#undos.splice(0)) undo();
    this.#seen.clear();
    this.#calls = 0;
  }

  #patch({ name = 'default', patch }: KnownModule, exported: unknown): void {
    const prototype = prototypeOf(exported, name);
    const undo = prototype === undefined ? undefined : patch(prototype);
    if (undo !== undefined) this.#undos.push(undo);
  }
}

/**
 * Whether the program has loaded a module of Node's own; to load one for it may print a warning. Node's list of them is not
 * documented: without it, none counts as loaded.
 */
function isLoadedBuiltin(file: string): boolean {
  if (!file.startsWith('node:')) return false;
  const list: unknown = Reflect.get(process, 'moduleLoadList');
  return Array.isArray(list) && list.includes(`NativeModule ${file.slice('node:'.length)}`);
}

function packageOf(file: string): string {
  return file
    .split('/')
    .slice(0, file.startsWith('@') ? 2 : 1)
    .join('/');
}

/** The packages that the program's own `package.json` names, or the first above it that names any; undefined where there is none. */
function readDependencies(program: string): ReadonlySet<string> | undefined {
  try {
    for (let folder = dirname(realpathSync(program)); ; folder = dirname(folder)) {
      const file = join(folder, 'package.json');
      // A tool that runs the program, `node_modules/.bin/…`, is not the program.
      const isOwn = !folder.includes('node_modules') && existsSync(file);
      const found = isOwn ? namesOf(JSON.parse(readFileSync(file, 'utf8'))) : [];
      if (found.length > 0) return new Set(found);
      if (folder === dirname(folder)) return undefined;
    }
  } catch {
    return undefined;
  }
}

function namesOf(description: unknown): readonly string[] {
  const lists = description as Readonly<Record<string, object | undefined>>; // as npm writes it
  return ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'].flatMap((name) =>
    Object.keys(lists[name] ?? {}),
  );
}

/** A file of a package of the program's, or of one above it. */
function findFile(program: string, file: string): string | undefined {
  try {
    for (let folder = dirname(realpathSync(program)); ; folder = dirname(folder)) {
      const found = join(folder, 'node_modules', file);
      if (existsSync(found)) return realpathSync(found);
      if (folder === dirname(folder)) return undefined;
    }
  } catch {
    return undefined;
  }
}

/** Of the class of that name, or of what is exported itself; undefined where there is none or a getter fails. */
function prototypeOf(exported: unknown, name: string): object | undefined {
  try {
    const module = exported as Record<string, { prototype?: unknown } | undefined> & { prototype?: unknown }; // read as a module is
    const { prototype } = module[name] ?? module;
    return typeof prototype === 'object' && prototype !== null ? prototype : undefined;
  } catch {
    return undefined;
  }
}
