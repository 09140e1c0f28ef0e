import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { circlesOf, importsOf, sourceFiles } from './source-files.js';

/** Modules from the lowest layer up: a module imports only modules from lower layers. ARCHITECTURE.md describes them. */
const layers = [
  ['core/coded-error'],
  ['core/options'],
  ['core/attributes', 'core/events', 'core/html', 'core/negotiation', 'core/patches', 'core/scope'],
  ['core/dump', 'core/phrases', 'core/routing'],
  ['core/errors', 'core/log'],
  ['core/command', 'core/http'],
  ['profiler', 'framework/controller'],
  ['profiler/instrumentation', 'framework/configuration', 'framework/kernel'],
  ['profiler/setup', 'framework/locale', 'framework/security', 'framework/persistence'],
  ['framework/web'],
  ['profiler/attach', 'profiler/mcp', 'framework/app', 'framework/openapi'],
  ['framework/testing'],
  ['cli'],
];
const layerOf = new Map(layers.flatMap((modules, layer) => modules.map((name) => [name, layer] as const)));
/** Connect the framework and the profiler. */
const joining = new Set(['framework/app', 'framework/testing', 'cli']);

const files = [...sourceFiles('src')];

/** `src/core/http/headers/cookies.ts` and `src/core/http.ts` belong to the module `core/http`; a package entry file belongs to none. */
function moduleOf(file: string): string | undefined {
  const [part = '', second = ''] = relative('src', file)
    .replace(/\.tsx?$/, '')
    .split('/');
  if (part === 'cli') return 'cli';
  const name = `${part}/${second}`;
  if (layerOf.has(name)) return name;
  if (part === 'profiler') return 'profiler';
  return second === '' ? undefined : name;
}

function targetOf(file: string, specifier: string): string | undefined {
  const stem = specifier.startsWith('#')
    ? resolve('src', specifier.slice(1))
    : resolve(dirname(file), specifier.replace(/\.js$/, ''));
  return ['.ts', '.tsx'].map((ending) => relative('.', stem + ending)).find((path) => existsSync(path));
}

const imports = new Map(
  files.map((file) => [
    file,
    importsOf(file)
      .filter((specifier) => /^[.#]/.test(specifier))
      .map((specifier) => ({ specifier, target: targetOf(file, specifier) })),
  ]),
);

describe('layers', () => {
  it('files, and imports between modules, are found', () => {
    const between = [...imports].flatMap(([file, targets]) =>
      targets.filter(({ target }) => target !== undefined && moduleOf(target) !== moduleOf(file)),
    );
    assert.ok(files.length > 500 && between.length > 500, `${files.length} files, ${between.length} imports`);
  });
  it('every module has a layer', () => {
    for (const file of files) {
      const name = moduleOf(file);
      assert.ok(name === undefined || layerOf.has(name), `${file}: no layer is given for ${name}`);
    }
  });

  it('a module imports only from lower layers, and only joining modules import from the other part', () => {
    for (const [file, targets] of imports) {
      const from = moduleOf(file);
      for (const { specifier, target } of targets) {
        if (from === undefined || target === undefined) continue;
        const to = moduleOf(target) ?? (target === 'src/profiler.ts' ? 'profiler' : undefined);
        assert.ok(to !== undefined, `${file} imports the entry file ${specifier}`);
        if (to === from) continue;
        const [lower, upper] = [layerOf.get(to) ?? 99, layerOf.get(from) ?? -1];
        assert.ok(lower < upper, `${file} imports ${specifier} of a layer that is not below`);
        const isOther = /^(?:profiler|framework)/.exec(to)?.[0] !== /^(?:profiler|framework)/.exec(from)?.[0];
        const isAllowed = to.startsWith('core/') || !isOther || joining.has(from);
        assert.ok(isAllowed, `${file} imports ${specifier} of the other part`);
      }
    }
  });

  it('another module is imported through its entry, and relative imports stay inside a module', () => {
    for (const [file, targets] of imports) {
      const from = moduleOf(file);
      for (const { specifier, target } of targets) {
        if (from === undefined || target === undefined) continue;
        const to = target === 'src/profiler.ts' ? 'profiler' : moduleOf(target);
        if (specifier.startsWith('.'))
          assert.equal(to, from, `${file} reaches out of its module: ${specifier}`);
        else assert.ok(to !== from, `${file} imports its own module by its entry: ${specifier}`);
      }
    }
  });

  it('no two files import each other, directly or indirectly', () => {
    const graph = new Map(
      [...imports].map(([file, targets]) => [
        file,
        new Set(targets.flatMap(({ target }) => (target === undefined ? [] : [target]))),
      ]),
    );
    assert.deepEqual(circlesOf(graph), []);
  });

  it('no two files in the demo import each other, directly or indirectly', () => {
    const graph = new Map(
      [...sourceFiles('demo')].map((file) => [
        file,
        new Set(importsOf(file).flatMap((specifier) => targetOf(file, specifier) ?? [])),
      ]),
    );
    assert.deepEqual(circlesOf(graph), []);
  });

  it('kernel, routing, security, locale and persistence contain no profiling code', () => {
    const watched =
      /^src\/(?:core\/(?:routing|http)|framework\/(?:kernel|controller|security|locale|persistence|web))\b/;
    const found = files.filter(
      (file) => watched.test(file) && /profil(?:er|ing)/i.test(readFileSync(file, 'utf8')),
    );
    assert.deepEqual(found, []);
  });
});
