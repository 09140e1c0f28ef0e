import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { after, it } from 'node:test';
import { pathToFileURL } from 'node:url';

const { describeSources, forgetCompiled, isCompiled, noteCompiled } = (await import(
  pathToFileURL(resolve('scripts/compiled.mjs')).href
)) as {
  readonly describeSources: (root: string) => string;
  readonly forgetCompiled: (root: string) => void;
  readonly isCompiled: (root: string) => boolean;
  readonly noteCompiled: (root: string, before: string) => void;
}; // exported by the script

const root = mkdtempSync(join(tmpdir(), 'lookback-compiled-'));
after(() => rmSync(root, { recursive: true }));
const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};
function build(): void {
  forgetCompiled(root);
  const before = describeSources(root);
  write('dist/src/a.js', 'a');
  write('dist/bundle/index.js', 'a');
  noteCompiled(root, before);
}

it('npm start recompiles after each change to a source, the settings or the output, and not otherwise', () => {
  write('src/a.ts', 'a');
  write('package.json', '{}');
  assert.equal(isCompiled(root), false);
  build();
  assert.equal(isCompiled(root), true);
  utimesSync(join(root, 'src/a.ts'), 1, 1); // as git does to restored files
  assert.equal(isCompiled(root), true);
  const changes: readonly (() => void)[] = [
    () => write('src/a.ts', 'b'), // as git pull does, with the same length
    () => write('src/deep/b.ts', 'new'),
    () => rmSync(join(root, 'src/deep/b.ts')),
    () => write('package-lock.json', '{}'),
    () => write('dist/src/a.js', 'another build'),
    () => rmSync(join(root, 'dist/bundle'), { recursive: true }),
    () => forgetCompiled(root), // a failed build
  ];
  for (const change of changes) {
    change();
    assert.equal(isCompiled(root), false, String(change));
    build();
    assert.equal(isCompiled(root), true, String(change));
  }
  const before = describeSources(root);
  write('src/a.ts', 'changed while it was compiled');
  noteCompiled(root, before);
  assert.equal(isCompiled(root), false);
});
