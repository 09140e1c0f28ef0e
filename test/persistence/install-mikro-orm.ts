import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { homeEnvironment } from '../begin/packed-package.js';
import { installOnce } from '../install-once.js';

/** The MikroORM 7 release that the tests run on. */
export const newerVersion = '7.2.1';
const packages = ['core', 'libsql', 'postgresql', 'migrations'];

/** This package and its tests, installed with MikroORM 7: the development dependencies contain MikroORM 6. */
export interface NewerProject {
  readonly folder: string;
  /** Runs Node in the folder with these arguments, and with additional environment variables. */
  run(
    words: readonly string[],
    more?: Readonly<Record<string, string>>,
  ): { readonly status: number | null; readonly stdout: string; readonly output: string };
  remove(): void;
}

/** Installs MikroORM 7, which is kept between runs, and copies the compiled files to a folder that resolves it. */
export function createNewerProject(): NewerProject {
  const installed = installOnce(packages.map((name) => `@mikro-orm/${name}@${newerVersion}`));
  const folder = mkdtempSync(join(tmpdir(), 'lookback-mikro-orm-7-'));
  cpSync('package.json', join(folder, 'package.json'));
  cpSync('dist', join(folder, 'dist'), {
    recursive: true,
    filter: (path) => !path.endsWith('.tsbuildinfo'),
  });
  for (const name of ['src', 'test']) symlinkSync(resolve(name), join(folder, name), 'junction'); // for the source maps
  const modules = join(folder, 'node_modules');
  mkdirSync(modules);
  symlinkSync(join(installed, '@mikro-orm'), join(modules, '@mikro-orm'), 'junction');
  for (const name of readdirSync('node_modules'))
    if (!name.startsWith('.') && name !== '@mikro-orm')
      symlinkSync(resolve('node_modules', name), join(modules, name), 'junction');
  return {
    folder,
    run(words, more) {
      const run = spawnSync(process.execPath, words, {
        cwd: folder,
        env: homeEnvironment(more),
        encoding: 'utf8',
        maxBuffer: 2 ** 26,
        timeout: 240_000,
      });
      return { status: run.status, stdout: run.stdout, output: run.stdout + run.stderr };
    },
    remove: () => rmSync(folder, { recursive: true, maxRetries: 5 }),
  };
}
