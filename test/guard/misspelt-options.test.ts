import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { behindEntry, sourceFiles } from './source-files.js';

/**
 * Types of options that public functions take without a look at their names: called for each request or each record, or
 * written by the module itself.
 */
const unchecked = new Map([
  ['BeginOptions', 'for each request'],
  ['CallOptions', 'written by the module itself, for each call of an assistant'],
  ['ChannelCollectorOptions', 'by collectors of the package'],
  ['CommandOptions', 'names that the application chooses; each option of a command is checked'],
  ['ControllerOptions', 'for each request'],
  ['DumpOptions', 'for each value'],
  ['FetchInit', 'runtimes pass objects of their own to `fetch`'],
  ['HttpRequestOptions', 'for each request'],
  ['PageTextOptions', 'for each page'],
  ['ParseOptions', 'for each query'],
  ['PutOptions', 'for each entry'],
  ['ReplayOptions', 'for each request'],
  ['RouteOptions', 'when the route is added, as `AppRoute`'],
]);

const files = [...sourceFiles('src')];
const sources = files.map((file) => readFileSync(file, 'utf8')).join('\n');

interface Package {
  readonly exports: Readonly<Record<string, string | { readonly types: string }>>;
}

/** The sources of the entry points of the package. */
const entries = Object.values((JSON.parse(readFileSync('package.json', 'utf8')) as Package).exports)
  .flatMap((entry) => (typeof entry === 'string' ? [] : [entry.types]))
  .map((types) => types.replace(/^\.\/dist\//, '').replace(/\.d\.ts$/, '.ts'))
  .map(behindEntry);

/** The public functions by name, each with its signature up to the body, and whether the body refuses options. */
function* publicSignatures(): Generator<{ name: string; signature: string; refuses: boolean }> {
  const names = new Set(
    entries.flatMap((entry) =>
      [...readFileSync(entry, 'utf8').matchAll(/^(?:import|export) \{([^}]*)\}/gm)].flatMap(([, list = '']) =>
        [...list.matchAll(/(?<!type )\b([a-zA-Z]\w*)\b(?=,|\s*$)/g)].map(([, name = '']) => name),
      ),
    ),
  );
  for (const file of files) {
    const source = readFileSync(file, 'utf8');
    for (const { 0: signature, 1: name = '', index } of source.matchAll(
      /^export (?:async )?function (\w+)[^]*?(?: \{|;)$/gm,
    )) {
      const body = source.slice(index, source.indexOf('\n}\n', index));
      const refuses = /(?:check|read)Options\(/.test(body);
      if (names.has(name) || dirname(file) === join('src', 'profiler', 'attach'))
        yield { name, signature, refuses };
    }
  }
}

const typesOf = (signature: string): string[] =>
  [...signature.replace(/\): [^]*$/, '').matchAll(/\b([A-Z]\w*(?:Options|Definition|Init|Limits))\b/g)].map(
    ([, type = '']) => type,
  );

describe('options of public functions', () => {
  it('are checked by name, so that a misspelt one is refused', () => {
    const found = [...publicSignatures()].flatMap(({ name, signature, refuses }) =>
      typesOf(signature).map((type) => ({ name, type, refuses })),
    );
    assert.ok(found.length > 60, `only ${found.length} were found`);
    assert.deepEqual(
      [
        ...new Set(
          found
            .filter(
              ({ type, refuses }) =>
                !refuses &&
                !unchecked.has(type) &&
                !new RegExp(`(?:OptionsSchema|optionsSchema)<${type}\\b`).test(sources),
            )
            .map(({ name, type }) => `${name}: ${type}`),
        ),
      ],
      [],
      'call checkOptions with the schema where the options are taken',
    );
  });

  it('are not listed as unchecked if they are checked or removed', () => {
    assert.deepEqual(
      [...unchecked.keys()].filter(
        (type) =>
          new RegExp(`(?:OptionsSchema|optionsSchema)<${type}>`).test(sources) ||
          !new RegExp(`(?:interface|type) ${type}\\b`).test(sources),
      ),
      [],
    );
  });
});
