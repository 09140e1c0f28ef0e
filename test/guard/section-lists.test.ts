import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { sourceFiles } from './source-files.js';

const sections = 'src/profiler/sections';
/** The lists, and the exports of section folders that belong to each. */
const lists = { collected: /Collector$/, completed: /(?:Definition|Finders)$/, shown: /Panel$/ };
/** Precedes all panels of the menu. */
const unlisted = new Set(['overviewPanel']);
const exported = [...sourceFiles(sections)]
  .filter((file) => dirname(file) !== sections)
  .flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/^export (?:const|function) (\w+)/gm)].map(
      ([, name = '']) => name,
    ),
  );

/** The code that a list loads immediately, from the compiled files, which have no types. */
function loadedBy(list: string): readonly string[] {
  const files = new Set<string>();
  const visit = (file: string): void => {
    if (files.has(file)) return;
    files.add(file);
    const imports = /^(?:(?:import|export) [^;]*? from|import) '([^']+)';/gm;
    for (const [, specifier = ''] of readFileSync(`dist/${file}`, 'utf8').matchAll(imports))
      if (specifier.startsWith('.')) visit(join(dirname(file), specifier).replaceAll('\\', '/'));
      else if (specifier.startsWith('#')) visit(`src/${specifier.slice(1)}.js`);
  };
  visit(`${sections}/${list}.js`);
  return [...files];
}

describe('the lists of sections', () => {
  for (const [list, names] of Object.entries(lists))
    it(`contain all exports of sections that belong in ${list}.ts`, () => {
      const found = exported.filter((name) => names.test(name) && !unlisted.has(name));
      const code = readFileSync(`${sections}/${list}.ts`, 'utf8').replaceAll(/^import [^;]*;$/gm, '');
      assert.ok(found.length >= 15, `${found.length} exports`);
      assert.deepEqual(
        found.filter((name) => !new RegExp(`\\b${name}\\b`).test(code)),
        [],
      );
    });

  const pages = /^src\/profiler\/(?:sections\/(?:.*\/)?(?:section-)?panel\.js|view\/|web\/)/;
  const findings = /^src\/profiler\/sections\/(?:.*\/)?findings\.js/;
  for (const { list, without, what } of [
    { list: 'collected', without: [findings, pages], what: 'findings and no panels' },
    { list: 'completed', without: [pages], what: 'panels' },
  ])
    it(`load no ${what} with ${list}.ts`, () => {
      const loaded = loadedBy(list);
      assert.ok(loaded.length > 50, `${loaded.length} files`);
      assert.deepEqual(
        loaded.filter((file) => without.some((pattern) => pattern.test(file))),
        [],
      );
    });

  it('load the panels with shown.ts', () => {
    assert.ok(loadedBy('shown').filter((file) => pages.test(file)).length > 20);
  });
});
