import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { packOnce } from '../pack-once.js';

/** The package as published, unpacked next to its own dependencies and those of a generated application. */
export interface PackedPackage {
  /** The folder for applications; code inside it resolves the package. */
  readonly folder: string;
  readonly cli: string;
  /** Runs Node with these arguments in a folder inside, as a user would: nothing is inherited from this test run. */
  run(
    cwd: string,
    words: readonly string[],
    env?: Readonly<Record<string, string>>,
  ): { status: number | null; output: string };
  remove(): void;
}

export function unpackPackage(): PackedPackage {
  const folder = mkdtempSync(join(tmpdir(), 'lookback-begin-'));
  const modules = join(folder, 'node_modules');
  const installed = join(modules, 'lookback');
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', packOnce().path, '-C', installed, '--strip-components=1']);
  for (const name of readdirSync('node_modules'))
    if (!name.startsWith('.')) symlinkSync(resolve('node_modules', name), join(modules, name), 'junction');
  return {
    folder,
    cli: join(installed, 'dist/bundle/cli.js'),
    run(cwd, words, env = {}) {
      const run = spawnSync(process.execPath, words, {
        cwd,
        encoding: 'utf8',
        env: homeEnvironment(env),
        timeout: 240_000,
      });
      return { status: run.status, output: run.stdout + run.stderr };
    },
    remove: () => rmSync(folder, { recursive: true, maxRetries: 5 }),
  };
}

/** The environment without the variables set by this test run. */
export function homeEnvironment(more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const {
    APP_ENV: _env,
    NODE_ENV: _node,
    NODE_OPTIONS: _options,
    NODE_TEST_CONTEXT: _context,
    PROFILER_STORE: _store,
    ...rest
  } = process.env;
  return { ...rest, ...more };
}

export function isThere(...parts: readonly string[]): boolean {
  return existsSync(join(...parts));
}
