import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { homeEnvironment } from './begin/packed-package.js';

/**
 * Installs packages that the repository does not depend on, in a folder that is kept between runs. Returns their
 * `node_modules`. Throws if npm fails.
 */
export function installOnce(packages: readonly string[]): string {
  const location = resolve('.cache', packages.join('+').replaceAll('/', '-'));
  const modules = join(location, 'node_modules');
  if (existsSync(modules)) return modules;
  mkdirSync(resolve('.cache'), { recursive: true });
  const fresh = mkdtempSync(`${location}-`); // two test files may install at once
  const flags = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline'];
  const run = spawnSync('npm', ['install', ...flags, '--prefix', fresh, ...packages], {
    env: homeEnvironment(),
    encoding: 'utf8',
    shell: process.platform === 'win32',
    timeout: 180_000,
  });
  try {
    if (run.status !== 0) throw new Error(`npm install failed: ${run.stderr}`);
    renameSync(fresh, location);
  } catch (error) {
    rmSync(fresh, { recursive: true, maxRetries: 5 });
    if (!existsSync(modules)) throw error; // otherwise the other process was faster
  }
  return modules;
}
