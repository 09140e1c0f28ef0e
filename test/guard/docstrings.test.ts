import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { sourceFiles } from './source-files.js';

/** The entry files of the package and of its modules. */
const entries = ['src', 'src/core', 'src/framework', 'src/profiler'].flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .filter((name) => folder !== 'src/profiler' || existsSync(join(folder, name.slice(0, -'.ts'.length))))
    .map((name) => join(folder, name)),
);

const all = new Set(sourceFiles('src'));
const passedOn = /^(?:import|export) (?:type )?\{([^}]*)\} from '(\.[^']+)';/gm;

function fileOf(importer: string, from: string): string {
  const stem = join(dirname(importer), from.replace(/\.js$/, ''));
  return [`${stem}.ts`, `${stem}.tsx`].find((path) => all.has(path)) ?? assert.fail(`${importer}: ${from}`);
}

/** An entry's exports: each name with the file that declares it. */
function* exportsOf(entry: string): Generator<{ name: string; file: string }> {
  for (const [, names = '', from = ''] of readFileSync(entry, 'utf8').matchAll(passedOn))
    for (const [, name = ''] of names.matchAll(/(?:^|,)\s*(?:type )?([\w$]+)/g))
      yield { name, file: declaringFile(fileOf(entry, from), name) };
}

/** Events need a docstring on their interface, `createX` functions on their result, and options on each field. */
function isDocumentedElsewhere(text: string, name: string): boolean {
  if (/(?:Options|Init)$/.test(name)) return true;
  if (/^create[A-Z]/.test(name)) return isDocumented(text, name.slice('create'.length));
  return name.endsWith('Event') && isDocumented(text, name.charAt(0).toUpperCase() + name.slice(1));
}

/** The file that declares a re-exported name. */
function declaringFile(file: string, name: string): string {
  for (const [, names = '', from = ''] of readFileSync(file, 'utf8').matchAll(passedOn))
    if (names.split(/[,\s]+/).includes(name)) return fileOf(file, from);
  return file;
}

/** Whether a docstring is right above a declaration, or above its first overload. */
function isDocumented(text: string, name: string): boolean {
  const form = new RegExp(
    `^export (?:declare )?(?:abstract )?(?:async )?(?:function\\*?|const|class|interface|type|let) ${name.replace('$', '\\$')}(?![\\w$])`,
    'm',
  );
  const at = form.exec(text)?.index;
  return at !== undefined && /\*\/\s*(?:\/\/.*\s*)*$/.test(text.slice(0, at));
}

describe('exports from modules', () => {
  it('each have a docstring', () => {
    const bare = new Set<string>();
    let count = 0;
    for (const entry of entries)
      for (const { name, file } of exportsOf(entry)) {
        const text = readFileSync(file, 'utf8');
        count++;
        if (!isDocumented(text, name) && !isDocumentedElsewhere(text, name)) bare.add(`${file} ${name}`);
      }
    assert.ok(count > 500, `only ${count} exports were found`);
    assert.deepEqual([...bare].sort(), []);
  });
});
