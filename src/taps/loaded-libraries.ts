import { createRequire } from 'node:module';
import { tapNest } from './errors/nest.js';
import { tapWinston } from './logs/winston.js';
import { tapMail } from './mail/nodemailer.js';
import { tapPgClient, tapPgPool } from './queries/pg.js';
import { fieldOf } from './source/fields.js';

/** Files of CommonJS libraries that publish nothing, with what they export and how its prototype is tapped. */
const libraries: readonly {
  readonly file: RegExp;
  /** Of the class, where the file exports several. */
  readonly name?: string;
  readonly tap: (prototype: object) => (() => void) | undefined;
}[] = [
  { file: /[\\/]pg[\\/]lib[\\/]client\.js$/, tap: tapPgClient },
  { file: /[\\/]pg-pool[\\/]index\.js$/, tap: tapPgPool },
  { file: /[\\/]winston[\\/]lib[\\/]winston[\\/]logger\.js$/, tap: tapWinston },
  { file: /[\\/]nodemailer[\\/](?:lib|dist[\\/]cjs)[\\/]mailer[\\/]index\.js$/, tap: tapMail },
  {
    file: /[\\/]@nestjs[\\/]core[\\/]exceptions[\\/]exceptions-handler\.js$/,
    name: 'ExceptionsHandler',
    tap: tapNest,
  },
];

/** Loaded CommonJS modules by their files: the same for everybody who loads them, by `require` and by `import`. */
const { cache } = createRequire(import.meta.url);

/**
 * Looks among the modules that are loaded for the libraries above, and taps their classes: no trap of loading order, no hook
 * in the loader. `look` costs a walk over the names of the modules and is called ever more seldom.
 */
export class LoadedLibraries {
  readonly #undos: (() => void)[] = [];
  readonly #seen = new Set<string>();
  #calls = 0;

  /** For each request: looks at the 1st, 2nd, 4th, 8th … */
  look(): void {
    const calls = ++this.#calls;
    if ((calls & (calls - 1)) !== 0) return;
    for (const file of Object.keys(cache))
      if (file.includes('node_modules') && !this.#seen.has(file)) this.#tap(file);
  }

  undo(): void {
    for (const undo of this.#undos.splice(0)) undo();
    this.#seen.clear();
    this.#calls = 0;
  }

  #tap(file: string): void {
    const module = cache[file];
    if (module?.loaded !== true) return;
    this.#seen.add(file);
    const library = libraries.find((known) => known.file.test(file));
    if (library === undefined) return;
    const given: unknown = module.exports;
    const prototype = fieldOf(fieldOf(given, library.name ?? 'default') ?? given, 'prototype');
    const undo = typeof prototype === 'object' && prototype !== null ? library.tap(prototype) : undefined;
    if (undo !== undefined) this.#undos.push(undo);
  }
}
