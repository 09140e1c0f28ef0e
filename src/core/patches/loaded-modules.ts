import { existsSync, readFileSync, realpathSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import { dirname, join, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { safely } from '#core/coded-error';
import { isVersionIn } from './check-package.js';
import { replaceMethod, type Undo } from './replace-method.js';

/** A module in a library, or built into Node, that exports a class whose prototype is patched. */
export interface KnownModule {
  /** Path that starts with the package's name: `koa/lib/application.js`; or a built-in module: `node:sqlite`. */
  readonly file: string;
  /** Name of the exported class. Default: the default export, or the exported value itself. */
  readonly name?: string;
  /** The package through which programs get this one, if they do not name it themselves. Default: the one of `file`. */
  readonly broughtBy?: string;
  /**
   * Returns whether the program seems to use the module, for modules that are expensive to import. Default: it does.
   */
  readonly isUsed?: () => boolean;
  /** Whether the exported value is itself the prototype of objects, like Koa's context. */
  readonly isPrototype?: true;
  /**
   * The package that this file's package was split from: `express` for `router`. If the program has loaded copies of it that use this copy
   * of the file, at least one must have a supported version.
   */
  readonly partOf?: string;
  readonly patch: (prototype: object) => Undo | undefined;
}

/** A package, and its supported version lines, as in `supportedPackages`. */
export interface KnownPackage {
  readonly name: string;
  readonly versions: readonly string[];
}

/** A package with an unsupported version. */
export interface SkippedPackage extends KnownPackage {
  readonly version: string;
  /** False if it is only known as a program dependency. */
  readonly isLoaded: boolean;
}

/** A copy of a known package. */
export interface FoundPackage {
  readonly name: string;
  readonly version: string;
  readonly folder: string;
  /** False if it is only known as a program dependency, because Node does not list its ECMAScript modules. */
  readonly isLoaded: boolean;
  readonly isSupported: boolean;
  /** Whether at least one of its known modules is patched. */
  readonly isPatched: boolean;
  /** Whether one of its known modules is loaded and lacks the functions to patch. */
  readonly isRefused: boolean;
}

type Copy = { -readonly [Field in keyof FoundPackage]: FoundPackage[Field] };

/** Node's CommonJS module cache by file, which `require` and `import` share: it has the program's instances. */
const { cache } = createRequire(import.meta.url);

type LoadObserver = (file: string) => void;
/** Module state like Node's module cache: one replaced method serves all observers. */
const loadObservers = new Set<LoadObserver>();
let unwatchLoads: Undo | undefined; // module state as well; undefined without observers

/** Calls an observer with each file that `require` or `import` has loaded as a CommonJS module. */
function watchLoads(observer: LoadObserver): Undo {
  loadObservers.add(observer);
  // Both end in this method of Node's modules. Other runtimes may lack it: there, only the scans find modules.
  unwatchLoads ??= replaceMethod(Module.prototype, 'load', (former, args, module) => {
    const result = Reflect.apply(former, module, args);
    const [file] = args;
    if (typeof file === 'string') for (const observe of loadObservers) observe(file);
    return result;
  });
  return () => {
    loadObservers.delete(observer);
    if (loadObservers.size > 0) return;
    unwatchLoads?.();
    unwatchLoads = undefined;
  };
}

/**
 * Finds known files among the loaded modules and patches their classes. It needs no loader hook and does not depend on
 * the load order. Each scan iterates over the names of all loaded modules, so `look` scans exponentially less often;
 * from the first scan on, modules that are loaded later are patched at once.
 */
export class LoadedModules {
  readonly #known: readonly KnownModule[];
  readonly #undos: Undo[] = [];
  readonly #seen = new Set<string>();
  #calls = 0;
  #unwatch: Undo | undefined;
  readonly #packages: ReadonlyMap<string, KnownPackage>;
  readonly #skipped: ((skipped: SkippedPackage) => void) | undefined;
  /** Copies of known packages by folder and name; undefined if the version cannot be read. */
  readonly #copies = new Map<string, Copy | undefined>();
  #changes = 0;
  /** Names of the program's packages that are installed under another name, by folder. */
  #aliases: Dependencies | undefined;

  /**
   * `packages`: packages with only some supported versions. `skipped` is called
   * once for each copy of an unsupported version.
   */
  constructor(
    known: readonly KnownModule[],
    packages: readonly KnownPackage[] = [],
    skipped?: (skipped: SkippedPackage) => void,
  ) {
    this.#known = known;
    this.#packages = new Map(packages.map((one) => [one.name, one]));
    this.#skipped = skipped;
  }

  /** Must be called for each request; scans at the 1st, 2nd, 4th, 8th … call. */
  look(): void {
    const calls = ++this.#calls;
    if ((calls & (calls - 1)) !== 0) return;
    for (const known of this.#known)
      if (isLoadedBuiltin(known.file)) this.#patch(known, process.getBuiltinModule(known.file), []);
    for (const file of Object.keys(cache)) this.#examine(file);
    this.#unwatch ??= watchLoads((file) => this.#examine(file));
  }

  /** Patches a completely loaded file, once. */
  #examine(file: string): void {
    const at = file.lastIndexOf('node_modules');
    if (at === -1 || this.#seen.has(file)) return;
    const module = cache[file];
    if (module?.loaded !== true) return;
    this.#seen.add(file);
    const start = at + 'node_modules/'.length;
    const inside = file.slice(start).replaceAll('\\', '/');
    const folder = packageOf(inside);
    const rest = inside.slice(folder.length);
    const path = file.slice(0, start) + folder;
    const name = this.#nameOf(folder, path);
    if (!this.#fits(name, path)) return;
    for (const known of this.#known) {
      if (!known.file.endsWith(rest)) continue; // compared first: this runs for each loaded file and each known one
      const own = packageOf(known.file);
      if (known.file.length !== own.length + rest.length) continue;
      // Only the manifest reveals the real name of an aliased package.
      const isSame =
        own === name || (rest !== '/index.js' && installedName(path) === own && this.#fits(own, path));
      if (!isSame) continue;
      const hosts = known.partOf === undefined ? [] : this.#hostsOf(known.partOf, known.file, file);
      const fitting = hosts.filter(({ isSupported }) => isSupported);
      if (hosts.length > 0 && fitting.length === 0) {
        this.#copies.set(keyOf(own, path), undefined); // nothing else to report
        continue;
      }
      this.#patch(known, module.exports, [this.#copies.get(keyOf(own, path)), ...fitting]);
    }
  }

  /** Returns the name of the package in a folder, which a program's manifest may rename: `"web": "npm:express@4"`. */
  #nameOf(folder: string, path: string): string {
    this.#aliases ??= readDependencies(process.argv[1] ?? '') ?? new Map<string, string>();
    const real = this.#aliases.get(folder) ?? folder;
    return real !== folder && installedName(path) === real ? real : folder;
  }

  /** Returns a package's loaded copies, complete or not, that use a copy of a known file. */
  #hostsOf(name: string, known: string, file: string): readonly Copy[] {
    const folders = new Set<string>();
    for (const loaded of Object.keys(cache)) {
      const at = loaded.lastIndexOf('node_modules');
      if (at === -1) continue;
      const start = at + 'node_modules/'.length;
      const folder = packageOf(loaded.slice(start).replaceAll('\\', '/'));
      const path = loaded.slice(0, start) + folder;
      if (!folders.has(path) && this.#nameOf(folder, path) === name) folders.add(path);
    }
    const own = safely(() => realpathSync(file), file);
    return [...folders].flatMap((path) => {
      if (findFile(join(path, 'package.json'), known) !== own) return [];
      this.#fits(name, path);
      return this.#copies.get(keyOf(name, path)) ?? [];
    });
  }

  /**
   * Imports the known files from where the program would import them, which returns the program's own module instances.
   * ES modules are found this way, because Node has no list of the loaded ones. Packages that the program does not
   * depend on are skipped: they belong to other programs in the same folder, and loading them would cost start-up time
   * and memory.
   */
  async import(program: string): Promise<void> {
    const packages = readDependencies(program);
    await Promise.all(
      this.#known.map(async (known) => {
        const name = packageOf(known.file);
        const isUsed = known.isUsed?.() ?? true;
        for (const installed of isUsed ? installedNames(packages, known.broughtBy ?? name) : []) {
          const folder = known.broughtBy === undefined ? installed : name;
          const file = findFile(program, folder + known.file.slice(name.length));
          // If the import fails here, it fails in the program too, so that there is nothing to patch.
          const path = file?.slice(0, name.length - known.file.length) ?? '';
          if (file !== undefined && this.#fits(name, path, { isLoaded: false }))
            this.#patch(known, await import(pathToFileURL(file).href).catch(() => undefined), [
              this.#copies.get(keyOf(name, path)),
            ]);
        }
      }),
    );
  }

  /** Counts changes to `found`. */
  get changes(): number {
    return this.#changes;
  }

  /** Returns the copies of known packages found so far, except those whose version cannot be read. */
  found(): readonly FoundPackage[] {
    return [...this.#copies.values()].flatMap((copy) => (copy === undefined ? [] : { ...copy }));
  }

  /** Whether all copies of a package found so far have unsupported versions, and there is one. */
  isUnsupported(name: string): boolean {
    const copies = [...this.#copies.values()].filter((copy) => copy?.name === name);
    return copies.length > 0 && copies.every((copy) => copy?.isSupported === false);
  }

  /** Whether a copy of a package has been found. */
  has(name: string): boolean {
    return [...this.#copies.values()].some((copy) => copy?.name === name);
  }

  /** Whether a package's version in a folder is supported; true if the version cannot be read. */
  #fits(name: string, folder: string, { isLoaded } = { isLoaded: true }): boolean {
    const known = this.#packages.get(name);
    if (known === undefined) return true;
    const key = keyOf(name, folder);
    if (!this.#copies.has(key)) this.#copies.set(key, this.#readCopy(known, folder, { isLoaded }));
    return this.#copies.get(key)?.isSupported ?? true;
  }

  #readCopy(
    known: KnownPackage,
    folder: string,
    { isLoaded }: { readonly isLoaded: boolean },
  ): Copy | undefined {
    const { name, versions } = known;
    const version = safely(() => versionIn(folder, name), undefined);
    if (version === undefined) return undefined;
    this.#changes++;
    const isSupported = versions.some((line) => isVersionIn(version, line));
    const isSeen = isLoaded || Object.keys(cache).some((file) => file.startsWith(join(folder, sep)));
    if (!isSupported) safely(() => this.#skipped?.({ ...known, version, isLoaded: isSeen }), undefined);
    return { name, folder, version, isLoaded: isSeen, isSupported, isPatched: false, isRefused: false };
  }

  undo(): void {
    for (const undo of this.#undos.splice(0)) undo();
    this.#unwatch?.();
    this.#unwatch = undefined;
    this.#seen.clear();
    this.#calls = 0;
    for (const copy of this.#copies.values()) if (copy !== undefined) copy.isPatched = false;
    this.#changes++;
  }

  #patch(
    { name = 'default', isPrototype, patch }: KnownModule,
    exported: unknown,
    copies: readonly (Copy | undefined)[],
  ): void {
    const prototype = isPrototype ? objectOf(exported) : prototypeOf(exported, name);
    const undo = prototype === undefined ? undefined : patch(prototype);
    if (undo !== undefined) this.#undos.push(undo);
    for (const copy of copies)
      if (copy !== undefined) copy[undo === undefined ? 'isRefused' : 'isPatched'] = true;
    this.#changes++;
  }
}

function keyOf(name: string, folder: string): string {
  return `${name} ${folder}`;
}

/**
 * Whether the program has loaded a built-in module, according to Node's own list: loading one just to patch it may
 * print a warning.
 */
function isLoadedBuiltin(file: string): boolean {
  if (!file.startsWith('node:')) return false;
  const list: unknown = Reflect.get(process, 'moduleLoadList');
  return Array.isArray(list) && list.includes(`NativeModule ${file.slice('node:'.length)}`);
}

/** Reads a package's version in its folder; undefined if it is another package under this name. */
function versionIn(folder: string, name: string): string | undefined {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    name?: unknown;
    version?: unknown;
  }; // a package's manifest
  const { name: own = name, version } = manifest;
  return own === name && typeof version === 'string' ? version : undefined;
}

function packageOf(file: string): string {
  const end = file.indexOf('/', file.startsWith('@') ? file.indexOf('/') + 1 : 0);
  return end === -1 ? file : file.slice(0, end);
}

/** Package names by their folders in `node_modules`. Bounded by the program's packages. */
const namesByFolder = new Map<string, string | undefined>();

/** Returns the name in an installed package's manifest. */
function installedName(folder: string): string | undefined {
  if (!namesByFolder.has(folder)) {
    const { name } = readManifest(join(folder, 'package.json'));
    namesByFolder.set(folder, typeof name === 'string' ? name : undefined);
  }
  return namesByFolder.get(folder);
}

function readManifest(file: string): Readonly<Record<string, unknown>> {
  if (!existsSync(file)) return {};
  try {
    const manifest: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return Object(manifest) as Readonly<Record<string, unknown>>; // an object in any case
  } catch {
    return {};
  }
}

/** The packages that a program names, by their folder names in `node_modules`: `npm:express@4` may be in `web`. */
type Dependencies = ReadonlyMap<string, string>;

/** Returns the folders in which a program may have a package; if it names no packages, the folder of the same name. */
function installedNames(packages: Dependencies | undefined, name: string): readonly string[] {
  if (packages === undefined) return [name];
  return [...packages].flatMap(([folder, real]) => (real === name ? [folder] : []));
}

/** Returns the dependencies in the nearest `package.json` above the program that has any. */
function readDependencies(program: string): Dependencies | undefined {
  try {
    for (let folder = dirname(realpathSync(program)); ; folder = dirname(folder)) {
      // A path in `node_modules`, e.g. `node_modules/.bin/…`, is a tool that runs the program, not the program itself.
      const isOwn = !folder.includes('node_modules');
      const found = isOwn ? dependenciesOf(readManifest(join(folder, 'package.json'))) : undefined;
      if (found !== undefined && found.size > 0) return found;
      if (folder === dirname(folder)) return undefined;
    }
  } catch {
    return undefined;
  }
}

function dependenciesOf(manifest: Readonly<Record<string, unknown>>): Dependencies {
  const lists = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'];
  const found = new Map<string, string>();
  for (const list of lists) {
    const named = Object(manifest[list]) as object; // an object in any case
    for (const [folder, version] of Object.entries(named))
      found.set(folder, /^npm:(@?[^@]+)/.exec(String(version))?.[1] ?? folder);
  }
  return found;
}

/** Returns a file's path in the copy of its package that a program would load, or undefined. */
function findFile(program: string, file: string): string | undefined {
  try {
    for (let folder = dirname(realpathSync(program)); ; folder = dirname(folder)) {
      const found = join(folder, 'node_modules', file);
      if (existsSync(found)) return realpathSync(found);
      // Another copy further up may have the file, in another version that the program does not use.
      if (existsSync(join(folder, 'node_modules', packageOf(file), 'package.json'))) return undefined;
      if (folder === dirname(folder)) return undefined;
    }
  } catch {
    return undefined;
  }
}

function objectOf(value: unknown): object | undefined {
  return typeof value === 'object' && value !== null ? value : undefined;
}

/** Returns the prototype of the named export, or of the exported value itself; undefined if a getter throws. */
function prototypeOf(exported: unknown, name: string): object | undefined {
  try {
    const module = exported as Record<string, { prototype?: unknown } | undefined> & { prototype?: unknown }; // any exports; getters and missing classes are handled below
    const { prototype } = module[name] ?? module;
    return typeof prototype === 'object' && prototype !== null ? prototype : undefined;
  } catch {
    return undefined;
  }
}
