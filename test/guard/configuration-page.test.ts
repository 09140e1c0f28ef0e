import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';
import { isCodedError } from '#core/coded-error';
import { type AnyOption, type OptionsSchema } from '#core/options';
import {
  applicationVariables,
  configurationSchema,
  publicDebug,
  readConfiguration,
} from '#framework/app/configuration/configuration';
import { variableOptions } from '#profiler/option-schemas';
import { unknownVariables } from '#profiler/setup';

const page = readFileSync('docs/reference/configuration.md', 'utf8');
const known = [
  ...applicationVariables,
  ...Object.values(variableOptions).map(({ variable }) => variable),
  'NODE_ENV',
];

/** All options that variables set, including nested ones. */
function* options(schema: OptionsSchema<object>): Generator<readonly [string, AnyOption]> {
  for (const [name, type] of schema.parts ?? [])
    if (type.variable !== undefined) yield [name, type];
    else if ('types' in type) yield* options(type as OptionsSchema<object>); // only schemas have types
}

describe('docs/reference/configuration.md', () => {
  it("has each variable's name, option, default and values: run scripts/configuration-page.mjs after a change", () => {
    const { stdout, stderr } = spawnSync(process.execPath, ['scripts/configuration-page.mjs', '--print'], {
      encoding: 'utf8',
    });
    assert.equal(stderr, '');
    assert.deepEqual(stdout.split('\n'), page.split(/\r?\n/));
  });

  it('describes each variable', () => {
    const rows = page.split('\n').filter((line) => line.startsWith('| `'));
    assert.equal(rows.length, new Set(known).size - 1); // NODE_ENV is Node's
    for (const row of rows) assert.match(row, /\| [^|]{8,} \|$/, row);
  });
});

describe('environment variables', () => {
  it('are known if they appear in any documentation page or source file', () => {
    const files = ['docs', 'src', 'README.md', 'SECURITY.md'].flatMap((path) =>
      path.endsWith('.md')
        ? [path]
        : readdirSync(path, { recursive: true, encoding: 'utf8' })
            .filter((name) => /\.(?:md|tsx?)$/.test(name) && !/\.test\.tsx?$/.test(name))
            .map((name) => join(path, name)),
    );
    const codes = readFileSync('docs/reference/errors.md', 'utf8');
    const named = new Set<string>();
    for (const file of files)
      for (const [name] of readFileSync(file, 'utf8').matchAll(
        /\b(?:LOOKBACK|PROFILER)_[A-Z]+(?:_[A-Z]+)*\b/g,
      )) {
        assert.ok(known.includes(name) || codes.includes(`### ${name}`), `${file}: ${name}`);
        named.add(name);
      }
    assert.ok(named.size > 20, [...named].join());
  });

  it('are read: invalid values are refused with the documented description', () => {
    const free = new Set(['APP_ENV', 'TLS_CERT', 'TLS_KEY']); // any text is a valid name or path
    const declared = [...options(configurationSchema)].map(([, type]) => type);
    for (const type of [...declared, publicDebug]) {
      const { variable = '' } = type;
      if (free.has(variable)) continue;
      assert.throws(
        () =>
          readConfiguration({
            [variable]: ' \u0000 wrong',
            HOST: '0.0.0.0',
            ...(variable === 'HOST' ? { HOST: '\u0000' } : {}),
            ...(variable === 'APP_DEBUG_PUBLIC' ? {} : { APP_DEBUG_PUBLIC: '1' }),
          }),
        (error) =>
          isCodedError(error) &&
          error.code === 'CONFIG_BAD_VALUE' &&
          error.message.startsWith(`${variable} is`),
        `${variable}: ${inspect(type.takes)}`,
      );
    }
  });

  it('that are misspelt are reported with a suggestion, and those of other programs are not reported', () => {
    const nearest = (name: string): readonly string[] | undefined =>
      unknownVariables({ [name]: '1' }, applicationVariables)[0]?.nearest;
    assert.deepEqual(nearest('LOOKBACK_TOOLBR'), ['LOOKBACK_TOOLBAR']);
    assert.deepEqual(nearest('LOOKBACK_STORE'), ['PROFILER_STORE']);
    assert.deepEqual(nearest('PROFILER_MAX_AGE'), ['PROFILER_MAX_AGE_DAYS']);
    assert.deepEqual(nearest('PROFILER_MAX_COUNT')?.toSorted(), [
      'PROFILER_MAX_AGE_DAYS',
      'PROFILER_MAX_BYTES',
      'PROFILER_MAX_FAILURES',
      'PROFILER_MAX_RECORDS',
    ]);
    assert.deepEqual(nearest('LOOKBACK_FOO'), []);
    assert.deepEqual(nearest('LOOKBAK'), ['LOOKBACK']);
    assert.deepEqual(nearest('TRUSTED_HOST'), ['TRUSTED_HOSTS']);
    for (const name of [...known, 'PATH', 'POST', 'HOSTS', 'GHOST', 'OUTLOOK', 'NODE_OPTIONS', 'APP_SECRET'])
      assert.equal(nearest(name), undefined, name);
    for (const name of known.filter((one) => /^(?:LOOKBACK|PROFILER)_/.test(one))) {
      const wrong = `${name.slice(0, -2)}${name.slice(-1)}`;
      assert.ok(nearest(wrong)?.includes(name), wrong);
      assert.equal(unknownVariables({ [wrong]: ' ' }).length, 0, 'a blank variable counts as unset');
    }
  });
});
