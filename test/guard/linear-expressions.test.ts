import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parseAst } from 'rollup/parseAst';

interface Found {
  readonly file: string;
  readonly pattern: string;
  readonly flags: string;
}

interface Recheck {
  checkSync(
    source: string,
    flags: string,
    options: { readonly timeout: number; readonly checker: 'automaton' },
  ): { readonly status: string; readonly complexity?: { readonly type: string } };
}

process.env['RECHECK_BACKEND'] = 'pure';
const { checkSync } = createRequire(import.meta.url)('recheck') as Recheck; // its types are for bundlers

/** The regular expression literals in the compiled sources; expressions built at run time are not included. */
function* expressions(): Generator<Found> {
  const root = join(import.meta.dirname, '../../src');
  for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.js') || name.includes('.test.')) continue;
    yield* expressionsIn(parseAst(readFileSync(join(root, name), 'utf8')), name);
  }
}

function* expressionsIn(node: unknown, file: string): Generator<Found> {
  if (typeof node !== 'object' || node === null) return;
  const { regex } = node as { readonly regex?: { readonly pattern: string; readonly flags: string } };
  if (regex !== undefined) yield { file, ...regex };
  for (const child of Object.values(node)) yield* expressionsIn(child, file);
}

/** Only a repeated group can match text in exponentially many ways. */
function isExponential({ pattern, flags }: Omit<Found, 'file'>): boolean {
  if (!/\)(?:[*+]|\{\d+,)/.test(pattern)) return false;
  // Exponential expressions are found in a tenth of a second; two long expressions cannot be decided even in ten seconds.
  return checkSync(pattern, flags, { timeout: 700, checker: 'automaton' }).complexity?.type === 'exponential';
}

describe('regular expressions in the sources', () => {
  it('do not take exponential time', () => {
    const found = [...expressions()];
    assert.ok(found.length > 400, `only ${found.length} were found`);
    assert.deepEqual(
      found.filter(isExponential).map(({ file, pattern, flags }) => `${file}: /${pattern}/${flags}`),
      [],
    );
  });

  it('are detected if they are exponential', () => {
    for (const pattern of ['^(a+)+$', '^(?:\\w|\\d)*$', '^(?:a|ab|b)*$'])
      assert.ok(isExponential({ pattern, flags: 'u' }), pattern);
  });
});
