import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { neighboursOf, testFiles } from './source-files.js';

/** Values that a file imports from the published package (`lookback/…`) and from its compiled sources (`#…`). */
function importsOf(file: string): { readonly published: string[]; readonly own: string[] } {
  const imports = [
    ...readFileSync(file, 'utf8').matchAll(
      /^(?:import|export) (?:\{([^}]*)\}|\* as \w+) from '(#|lookback\b|[./]+\/src\/)/gm,
    ),
  ].map(([, names = '*', entry]) => ({
    entry,
    names: names
      .split(',')
      .map((name) => name.trim().replace(/ as .*/, ''))
      .filter((name) => name !== '' && !name.startsWith('type ')),
  }));
  const from = (isPublished: boolean): string[] =>
    imports.filter(({ entry }) => (entry === 'lookback') === isPublished).flatMap(({ names }) => names);
  return { published: from(true), own: from(false) };
}

/** The file and the helpers that it imports. */
function withHelpers(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file) || file.startsWith('src')) return seen;
  seen.add(file);
  for (const next of neighboursOf(file)) withHelpers(next, seen);
  return seen;
}

const tests = testFiles('test').map((file) => {
  const imports = [...withHelpers(file)].map(importsOf);
  return {
    file,
    published: imports.flatMap(({ published }) => published),
    own: imports.flatMap(({ own }) => own),
  };
});

describe('imports in tests', () => {
  it('a test in test/ loads the published bundle or the compiled sources, never both: that would load every module twice', () => {
    const mixed = tests.filter(({ published, own }) => published.length > 0 && own.length > 0);
    assert.deepEqual(
      mixed.map(({ file, own }) => `${file}: ${own.join(', ')}`),
      [],
    );
  });

  it('a test in test/ imports from the sources only if it needs names that the package does not export', () => {
    const names = [...readFileSync('test/snapshots/exports.txt', 'utf8').matchAll(/^ {2}\w+ (\w+)$/gm)];
    const exported = new Set(names.map(([, name]) => name));
    const helpers = new Map<string, boolean>();
    for (const { file, own } of tests) {
      const isNeeded = own.length === 0 || own.some((name) => !exported.has(name));
      for (const one of withHelpers(file)) helpers.set(one, (helpers.get(one) ?? false) || isNeeded);
    }
    // If a test needs the sources, other tests that share its helpers need them too.
    const bound = tests.filter(({ file, own }) => {
      if (own.length === 0 || own.some((name) => !exported.has(name))) return false;
      return ![...withHelpers(file)].some(
        (one) => one !== file && helpers.get(one) && importsOf(one).own.length > 0,
      );
    });
    assert.deepEqual(
      bound.map(({ file }) => file),
      [],
    );
  });
});
