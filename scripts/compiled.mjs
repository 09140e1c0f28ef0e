// Checks whether the compiled files match the current sources, so that `npm start` compiles nothing twice. Compares the sources'
// contents and the compiled files' modification times, because another build may have run in between.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const sources = ['src', 'demo', 'scripts/build.mjs', 'scripts/bundle.mjs'];
const settings = ['package.json', 'package-lock.json', 'tsconfig.json'];
const results = ['dist/src', 'dist/demo', 'dist/bundle'];

/** Records that everything is compiled, as the last step of a build. `before` is the result of `describeSources` at its start. */
export function noteCompiled(root, before) {
  writeFileSync(noteOf(root), `${before}\n${describeResults(root)}\n`);
}

/** Runs as the first step of a build, so that a failed build leaves no marker. */
export function forgetCompiled(root) {
  rmSync(noteOf(root), { force: true });
}

export function isCompiled(root) {
  if (!existsSync(noteOf(root))) return false;
  return readFileSync(noteOf(root), 'utf8') === `${describeSources(root)}\n${describeResults(root)}\n`;
}

/** Compares contents, because git gives restored files a new timestamp, and copies of a tree may have an old one. */
export function describeSources(root) {
  const hash = createHash('sha256').update(process.version);
  for (const path of filesOf(root, [...sources, ...settings]))
    hash.update(`\0${path}\0`).update(readFileSync(join(root, path)));
  return hash.digest('hex');
}

function describeResults(root) {
  const hash = createHash('sha256');
  for (const path of filesOf(root, results)) {
    const { mtimeMs, size } = statSync(join(root, path));
    hash.update(`${path}\0${mtimeMs}\0${size}\0`);
  }
  return hash.digest('hex');
}

function filesOf(root, paths) {
  return paths
    .filter((path) => existsSync(join(root, path)))
    .flatMap((path) => {
      if (!statSync(join(root, path)).isDirectory()) return [path];
      const below = readdirSync(join(root, path), { recursive: true, withFileTypes: true });
      return below
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => join(parentPath, name).slice(join(root, '/').length));
    })
    .toSorted((a, b) => (a < b ? -1 : 1));
}

function noteOf(root) {
  return join(root, 'dist/.compiled');
}
