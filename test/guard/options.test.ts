import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { sourceFiles } from './source-files.js';

interface Package {
  readonly exports: Readonly<Record<string, string | { readonly types: string }>>;
}

/** The sources of the entry points of the package. */
const doors = Object.values((JSON.parse(readFileSync('package.json', 'utf8')) as Package).exports)
  .flatMap((entry) => (typeof entry === 'string' ? [] : [entry.types]))
  .map((types) => types.replace(/^\.\/dist\//, '').replace(/\.d\.ts$/, '.ts'));
const given = new Set(
  doors.flatMap((door) =>
    [...readFileSync(door, 'utf8').matchAll(/^(?:import|export) (?:type )?\{([^}]*)\}/gm)].flatMap(
      ([, names = '']) => [...names.matchAll(/\b(\w+(?:Options|Limits))\b/g)].map(([, name = '']) => name),
    ),
  ),
);

/** Options that the framework and `attach` pass on in every application. */
const passedOn = new Set(['ProfilerPagesOptions.explainer', 'ProfilerPagesOptions.replay']);

/** The text of all tests; the demo is run by some of them. */
const tests = ['src', 'test', 'demo']
  .flatMap((place) =>
    readdirSync(place, { recursive: true, encoding: 'utf8' })
      .filter((name) => (place === 'src' ? /\.test\.tsx?$/ : /\.tsx?$/).test(name))
      .map((name) => readFileSync(join(place, name), 'utf8')),
  )
  .join('\n');

/** The fields of an interface that stand at its first level. */
function fieldsOf(body: string): string[] {
  return [...body.matchAll(/^ {2}(?:readonly )?(\w+)\??[:(]/gm)].map(([, name = '']) => name);
}

/** The options in one file, as `Interface.field`. */
function optionsIn(file: string): string[] {
  const interfaces = readFileSync(file, 'utf8').matchAll(/^export interface (\w+)[^{]*\{\n([^]*?)^\}/gm);
  return [...interfaces].flatMap(([, name = '', body = '']) =>
    given.has(name) ? fieldsOf(body).map((field) => `${name}.${field}`) : [],
  );
}

describe('options of the package', () => {
  it('are each set by a test', () => {
    const options = [...sourceFiles('src')].flatMap(optionsIn);
    assert.ok(options.length > 150, `only ${options.length} options were found`);
    const isSet = (option: string): boolean =>
      new RegExp(`\\b${option.replace(/^.*\./, '')}\\b\\s*[:,}(]`).test(tests);
    assert.deepEqual(
      options.filter((option) => !passedOn.has(option) && !isSet(option)),
      [],
    );
  });
});
