// Compiles src, test, demo and scripts to dist/, and the scripts for the profiler's pages and toolbar with the browser's library.
// Then bundles the published package, unless --unbundled is given. Compiled files without a source are removed first, so that a
// renamed test does not keep running from an old build.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describeSources, forgetCompiled, noteCompiled } from './compiled.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
forgetCompiled(root);
const sources = describeSources(root);
if (existsSync(dist)) removeOrphans(dist);
// Both at once: the small project, which includes the toolbar's scripts, occupies one processor only briefly.
const codes = await Promise.all([root, join(root, 'src/profiler/web/shell/browser')].map(compile));
const failed = codes.find((code) => code !== 0);
if (failed !== undefined) process.exit(failed ?? 1);
if (!process.argv.includes('--unbundled')) {
  await import('./bundle.mjs');
  noteCompiled(root, sources);
}

/** Returns the exit code, which is null if a signal ended the compiler. */
async function compile(project) {
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const child = spawn(process.execPath, [tsc, '-p', project], { cwd: root, stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  return code;
}

function removeOrphans(folder) {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (!existsSync(path)) continue; // removed with its .js
    if (path === join(dist, 'bundle')) continue; // made anew
    if (statSync(path).isDirectory()) removeOrphans(path);
    else if (name.endsWith('.js') && !hasSource(path)) {
      const stem = path.slice(0, -'.js'.length);
      for (const ending of ['.js', '.js.map', '.d.ts']) rmSync(stem + ending, { force: true });
    }
  }
}

function hasSource(compiled) {
  const stem = join(root, relative(dist, compiled)).slice(0, -'.js'.length);
  return ['.ts', '.tsx', '.mts'].some((ending) => existsSync(stem + ending));
}
