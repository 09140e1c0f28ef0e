import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { sourceFiles } from './source-files.js';

const files = [...sourceFiles('src')];
/** The maximum number of files in a folder, without tests. */
const maxFiles = 30;

describe('source files', () => {
  it(`a folder contains at most ${maxFiles} files`, () => {
    assert.ok(files.length > 500, `only ${files.length} files were found`);
    const counts = new Map<string, number>();
    for (const file of files) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
    for (const [folder, count] of counts)
      assert.ok(count <= maxFiles, `${folder} holds ${count} files; at most ${maxFiles}`);
  });

  it('are named for their subject, and contain no any and no cast through unknown', () => {
    for (const file of files) {
      const text = readFileSync(file, 'utf8').replace(
        /\/\*[\s\S]*?\*\/|\/\/.*|'(?:[^'\\\n]|\\.)*'|`[^`]*`/g,
        '',
      );
      assert.doesNotMatch(text, /(:|<|\bas) any\b|as unknown as/, `${file} holds any`);
      if (file !== 'src/index.ts')
        assert.doesNotMatch(file, /(^|\/)(utils?|helpers?|common|misc|manager|types|index)\.tsx?$/);
    }
  });

  it("render foreign objects only with core/dump, not with Node's inspect", () => {
    for (const file of files)
      assert.doesNotMatch(readFileSync(file, 'utf8'), /\binspect\b[^\n]*from 'node:util'/, file);
  });
});

describe('unit tests', () => {
  it('have the name of the source file next to them', () => {
    const sources = new Set(files);
    const tests = readdirSync('src', { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.test\.tsx?$/.test(name))
      .map((name) => join('src', name).replaceAll('\\', '/'));
    assert.ok(tests.length > 100);
    const alone = tests.filter((file) => {
      const stem = file.replace(/\.test\.tsx?$/, '');
      return !sources.has(`${stem}.ts`) && !sources.has(`${stem}.tsx`);
    });
    assert.deepEqual(alone, [], 'tests that span several files belong in test/');
  });
});

/** Names that two modules export for the same thing. */
const shared = new Map([
  [
    'Route',
    'the decorator declares on a method the route that the type describes: one word, as in docs/reference/routing.md',
  ],
]);

describe('names', () => {
  it('no two modules export one name for two things', () => {
    const modules = new Map<string, Set<string>>();
    for (const file of files.filter((path) => path.split('/').length > 2))
      for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(
        /^export (?:async |abstract )*(?:const|function\*?|class|interface|type) (\w+)/gm,
      )) {
        const [, part = '', second = ''] = file.replace(/\.tsx?$/, '').split('/');
        const isWhole = part === 'cli' || (part === 'profiler' && !existsSync(`src/profiler/${second}.ts`));
        modules.set(name, (modules.get(name) ?? new Set()).add(isWhole ? part : `${part}/${second}`));
      }
    const twice = [...modules].filter(([name, of]) => of.size > 1 && !shared.has(name));
    assert.deepEqual(
      twice.map(([name, of]) => `${name}: ${[...of].join(', ')}`),
      [],
    );
  });
});
