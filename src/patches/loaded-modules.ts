import { createRequire } from 'node:module';
import type { Undo } from './replace-method.js';

/** A file of a CommonJS library, with what it exports and how its prototype is changed. */
export interface KnownModule {
  readonly file: RegExp;
  /** Of the class, where the file exports several. */
  readonly name?: string;
  readonly patch: (prototype: object) => Undo | undefined;
}

/** Loaded CommonJS modules by their files: the same for everybody who loads them, by `require` and by `import`. */
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
    for (const file of Object.keys(cache))
      if (file.includes('node_modules') && !this.#seen.has(file)) this.#patch(file);
  }

  undo(): void {
    for (const undo of this.#undos.splice(0)) undo();
    this.#seen.clear();
    this.#calls = 0;
  }

  #patch(file: string): void {
    const module = cache[file];
    if (module?.loaded !== true) return;
    this.#seen.add(file);
    for (const { file: pattern, name = 'default', patch } of this.#known) {
      if (!pattern.test(file)) continue;
      const prototype = prototypeOf(module.exports, name);
      const undo = prototype === undefined ? undefined : patch(prototype);
      if (undo !== undefined) this.#undos.push(undo);
    }
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
