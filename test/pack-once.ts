import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The package as npm packs it. */
export interface PackedFile {
  readonly path: string;
  /** In bytes, packed and unpacked. */
  readonly size: number;
  readonly unpackedSize: number;
}

/** Packs the package, once for all test files in a run: npm takes two seconds of CPU time for it. */
export function packOnce(): PackedFile {
  const home = join(folderOfRun(), 'package');
  if (!existsSync(home)) packInto(home);
  const [{ filename, size, unpackedSize }] = JSON.parse(readFileSync(join(home, 'packed.json'), 'utf8')) as [
    { filename: string; size: number; unpackedSize: number },
  ]; // as documented by npm
  return { path: join(home, filename), size, unpackedSize };
}

/** The folder from `scripts/test.mjs`, which removes it; a separate one if this file runs alone. */
function folderOfRun(): string {
  const { TEST_RUN_FOLDER } = process.env;
  if (TEST_RUN_FOLDER !== undefined) return TEST_RUN_FOLDER;
  const own = mkdtempSync(join(tmpdir(), 'lookback-packed-'));
  process.once('exit', () => rmSync(own, { recursive: true, force: true }));
  return own;
}

/** Packs into a temporary folder and then moves it, because test files run in parallel. */
function packInto(home: string): void {
  const staging = mkdtempSync(`${home}-`);
  const printed = execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', staging], {
    encoding: 'utf8',
    shell: process.platform === 'win32',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  writeFileSync(join(staging, 'packed.json'), printed);
  try {
    renameSync(staging, home);
  } catch {
    rmSync(staging, { recursive: true, force: true }); // another process was faster
  }
}
