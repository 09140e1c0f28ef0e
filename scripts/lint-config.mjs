// Writes .oxlintrc.json: the rules below, and from floors.json the houses that each house may not enter.
//   node scripts/lint-config.mjs           write
//   node scripts/lint-config.mjs --print   print only (the guard test compares)
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('..', import.meta.url);
const { floors } = JSON.parse(readFileSync(new URL('floors.json', root), 'utf8'));

const config = {
  $schema: './node_modules/oxlint/configuration_schema.json',
  jsPlugins: ['./scripts/house-rules.mjs'],
  plugins: ['typescript', 'import', 'promise', 'node', 'unicorn'],
  categories: { correctness: 'error' },
  ignorePatterns: [
    'dist/**',
    'node_modules/**',
    'bench/node_modules/**',
    'site/**',
    'var/**',
    'templates/**',
    '.cache/**',
  ],
  rules: {
    'typescript/no-explicit-any': 'error',
    'typescript/no-floating-promises': 'error',
    'typescript/no-misused-promises': ['error', { checksVoidReturn: false }],
    'typescript/await-thenable': 'error',
    'typescript/no-non-null-assertion': 'error',
    'typescript/consistent-type-imports': 'error',
    'import/no-cycle': 'error',
    'import/no-default-export': 'error',
    'no-eval': 'error',
    'no-new-func': 'error',
    'no-var': 'error',
    'prefer-const': 'error',
    eqeqeq: 'error',
    'max-lines': ['error', { max: 600, skipBlankLines: false, skipComments: false }],
    'max-lines-per-function': ['error', { max: 80, skipBlankLines: true, skipComments: true, IIFEs: true }],
    'max-depth': ['error', 3],
    'house/constant-names': 'error',
    'unicorn/filename-case': ['error', { case: 'kebabCase' }],
  },
  overrides: [
    {
      files: ['**/*.test.ts', '**/*.test.tsx', 'test/**'],
      rules: {
        'max-lines-per-function': 'off',
        'max-lines': 'off',
        'typescript/unbound-method': 'off',
        'typescript/require-array-sort-compare': 'off',
        'typescript/await-thenable': 'off',
        'typescript/no-floating-promises': 'off',
        'house/no-fixed-wait': 'error',
      },
    },
    {
      files: ['scripts/**', 'bench/**'],
      rules: { 'max-lines-per-function': 'off', 'import/no-default-export': 'off' },
    },
    {
      files: ['src/**'],
      rules: {
        'house/max-positional': 'error',
        'house/no-boolean-parameter': 'error',
        'house/cast-with-reason': 'error',
        'house/module-state': 'error',
      },
    },
    {
      files: ['**/*.test.ts', '**/*.test.tsx'],
      rules: {
        'house/max-positional': 'off',
        'house/no-boolean-parameter': 'off',
        'house/cast-with-reason': 'off',
        'house/module-state': 'off',
      },
    },
    ...floors.flatMap((houses, floor) =>
      houses.map((house) => ({
        files: [`src/${house}.ts`, `src/${house}/**`],
        rules: {
          'no-restricted-imports': [
            'error',
            {
              patterns: [
                {
                  group: forbidden(house, floor),
                  message: 'A house imports only lower floors, by their doors (floors.json).',
                },
              ],
            },
          ],
        },
      })),
    ),
  ],
};

function forbidden(house, floor) {
  const others = floors
    .slice(floor)
    .flat()
    .filter((other) => other !== house);
  return others.flatMap((other) => [`#${other}`, `#${other}/*`]);
}

const text = `${JSON.stringify(config, null, 2)}\n`;
if (process.argv.includes('--print')) process.stdout.write(text);
else writeFileSync(fileURLToPath(new URL('.oxlintrc.json', root)), text);
