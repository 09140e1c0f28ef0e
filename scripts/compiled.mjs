// Whether what is compiled was compiled from the sources as they are now: `npm start` compiles nothing twice. By the contents of the
// sources, and by when each compiled file was written, since a build of something else may have come between.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const sources = ['src', 'demo', 'scripts/build.mjs', 'scripts/bundle.mjs'];
const settings = ['package.json', 'package-lock.json', 'tsconfig.json'];
const results = ['dist/src', 'dist/demo', 'dist/bundle'];

/** Notes that all is compiled, as the last step of a build. `before` is what `describeSources` gave at its beginning. */
export function noteCompiled(root, before) {
  writeFileSync(noteOf(root), `${before}\n${describeResults(root)}\n`);
}

/** As the first step of a build: one that fails leaves no note. */
export function forgetCompiled(root) {
  rmSync(noteOf(root), { force: true });
}

export function isCompiled(root) {
  if (!existsSync(noteOf(root))) return false;
  return readFileSync(noteOf(root), 'utf8') === `${describeSources(root)}\n${describeResults(root)}\n`;
}

/** Contents, since git gives files that it brings back a new time, or copies of a tree an old one. */
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
