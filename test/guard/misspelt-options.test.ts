import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { isCodedError } from '#core/coded-error';
import { optionCases, type Wrong } from './option-cases.js';
import { sourceFiles } from './source-files.js';

/** Exported functions that take options without checking their names: called for each request or record, or internal. */
const unchecked = new Map([
  ['dump', 'for each value'],
  ['explainMatch', 'for each record'],
  ['noteHeaderWrite', 'for each field'],
  ['parseQuery', 'for each query'],
  ['parseSort', 'for each query'],
  ['readPage', 'for each page'],
  ['recordFields', 'for each redirect'],
  ['recordQuery', 'data, for each query'],
  ['registerSpan', 'data from instrumentations'],
  ['replayRequest', 'for each request'],
  ['requireRouteParameters', 'by the application, when a route is added'],
  ['resolveController', 'for each request'],
]);

/** Places that check only values. */
const open = new Map([
  ["'app.use()'", 'an extension may have other members'],
  ["'boundStore()'", 'checks a number'],
  ['`${method}() of an ExpiringStore`', 'checks numbers'],
  ["'take() of an ExpiringStore'", 'checks numbers'],
]);

const sources = [...sourceFiles('src')].map((file) => ({ file, text: readFileSync(file, 'utf8') }));

/** Splits text at a separator outside brackets and quotes. */
function splitOutside(text: string, separator: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const [at, character] of text.split('').entries()) {
    if (/[([{<]/.test(character)) depth++;
    if (/[)\]}]/.test(character) || (character === '>' && text[at - 1] !== '=')) depth--;
    if (character === separator && depth === 0) parts.push('');
    else parts[parts.length - 1] += character;
  }
  return parts;
}

/** The text up to the bracket that closes the one before the text. */
function upToBracket(text: string): string {
  let depth = 1;
  for (const { 0: bracket, index } of text.matchAll(/[()]/g)) {
    depth += bracket === '(' ? 1 : -1;
    if (depth === 0) return text.slice(0, index);
  }
  return text;
}

/** The parameters of all signatures of the functions with this name. */
function parametersOf(name: string): readonly { readonly name: string; readonly type: string }[] {
  const head = new RegExp(`^export (?:async )?function\\*? ${name}\\b(?:\\s*<[^(]*>)?\\(`, 'gm');
  return sources
    .flatMap(({ text }) =>
      [...text.matchAll(head)].map((found) => upToBracket(text.slice(found.index + found[0].length))),
    )
    .flatMap((list) => splitOutside(list, ','))
    .map((parameter) => {
      const [given = '', ...type] = splitOutside(parameter, ':');
      return { name: given.trim().replace(/\?$/, ''), type: type.join(':').trim() };
    });
}

/** Whether a parameter is an options object, by its name, its type, or its destructuring pattern. */
function isOptions({ name, type }: { readonly name: string; readonly type: string }): boolean {
  return (
    /^(?:options|definition|init|settings|limits)$/.test(name) ||
    /\b\w*(?:Options|Definition|Init|Limits)\b/.test(type) ||
    (type.startsWith('{') && name.startsWith('{'))
  );
}

/** The exported functions, with their entry points. */
const exported = readFileSync('test/snapshots/exports.txt', 'utf8')
  .split('\n')
  .reduce<{ entry: string; found: { entry: string; name: string }[] }>(
    ({ entry, found }, line) => {
      const [, name] = /^ {2}function (\w+)$/.exec(line) ?? [];
      if (name !== undefined) found.push({ entry, name });
      return { entry: line.startsWith(' ') ? entry : line, found };
    },
    { entry: '', found: [] },
  ).found;

const cased = new Set(optionCases.flatMap(({ of }) => of));
const misspelt = { misspeltt: 1 } as Wrong; // passed to every type, because no function may accept it

async function refusalOf(call: (wrong: Wrong) => unknown): Promise<unknown> {
  try {
    const made: unknown = await call(misspelt);
    if (typeof made === 'object' && made !== null && 'close' in made && typeof made.close === 'function')
      await Promise.resolve(Reflect.apply(made.close, made, [])); // a server that started listening by mistake
    return undefined;
  } catch (error) {
    return error;
  }
}

/** The locations passed to option checks in the sources, with `${…}` for inserted values. */
const locations = sources
  .filter(({ file }) => !file.startsWith('src/core/options/'))
  .flatMap(({ text }) =>
    [...text.matchAll(/\b(?:check|read)Options(?:<[^(]*>)?\(\s*([^,]+),/g)].map(
      ([, location = '']) => location,
    ),
  );

describe('misspelt options', () => {
  for (const { of, location, call } of optionCases)
    it(`of ${of.join()} (${location}) are refused with an error that names them and the valid ones`, async () => {
      const error = await refusalOf(call);
      assert.ok(isCodedError(error), `not refused: ${String(error)}`);
      assert.equal(error.code, 'OPTIONS_UNKNOWN');
      assert.ok(error.message.startsWith(`${location} has no option "misspeltt".`), error.message);
      assert.match(error.fix ?? '', /^Correct or remove it\. Valid options: \w+/);
    });

  it('are tested with every exported function that takes options', () => {
    const taking = exported.filter(({ name }) => parametersOf(name).some(isOptions));
    assert.ok(taking.length > 60, `only ${taking.length} functions take options`);
    assert.deepEqual(
      taking
        .filter(
          ({ entry, name }) => !cased.has(name) && !cased.has(`${entry}: ${name}`) && !unchecked.has(name),
        )
        .map(({ entry, name }) => `${entry}: ${name}`),
      [],
      'call checkOptions in the function, and add it to test/guard/option-cases.ts',
    );
  });

  it('are tested at every place that checks options', () => {
    assert.ok(locations.length > 70, `only ${locations.length} places were found`);
    const tried = optionCases.map(({ location }) => location);
    const isTried = (place: string): boolean => {
      if (!/^['`]/.test(place)) return true; // a parameter or a variable: its functions are tested by name
      const pattern = place.slice(1, -1).replaceAll(/[.*+?^|()[\]\\]/g, String.raw`\$&`);
      return tried.some((one) => new RegExp(`^${pattern.replaceAll(/\$\{.*\}/g, '.+')}$`).test(one));
    };
    assert.deepEqual(
      locations.filter((place) => !isTried(place)),
      [...open.keys()],
    );
  });

  it('are not listed as unchecked for functions that are tested, or no longer exported', () => {
    const names = new Set(exported.map(({ name }) => name));
    assert.deepEqual(
      [...unchecked.keys()].filter((name) => cased.has(name) || !names.has(name)),
      [],
    );
  });
});
