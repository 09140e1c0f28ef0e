import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parseAst } from 'rollup/parseAst';
import { findTextLimit } from '../../src/routing/pattern/find-text-limit.js';
import { ExpressionProblem, parseExpression } from '../../src/routing/pattern/parse-expression.js';

interface Found {
  readonly file: string;
  readonly pattern: string;
  readonly flags: string;
}

/** The regular expressions that are written in the compiled sources; those put together at run time are not among them. */
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

/** What looks behind or back restricts a match only: without it there are as many ways to run through a text, or more. */
function withoutLooks(pattern: string): string {
  return pattern
    .replace(/\(\?<[!=](?:\[(?:[^\]\\]|\\.)*\]|\\.|[^()[\]\\])*\)/g, '')
    .replace(/((?:^|[^\\])(?:\\\\)*)\\[1-9]/g, '$1');
}

describe('regular expressions of the sources', () => {
  it('run through each of their repetitions in one way: none can take exponential time', () => {
    const found = [...expressions()];
    assert.ok(found.length > 400, `only ${found.length} were found`);
    const ambiguous = found.flatMap(({ file, pattern, flags }) => {
      try {
        findTextLimit(parseExpression(withoutLooks(pattern)), { ignoreCase: flags.includes('i') });
        return [];
      } catch (error) {
        assert.ok(error instanceof ExpressionProblem);
        return [`${file}: /${pattern}/${flags} ${error.message}`];
      }
    });
    assert.deepEqual(ambiguous, []);
  });

  it('are found ambiguous where they are', () => {
    for (const pattern of ['(a+)+', '(?:\\w|\\d)*', '(?<!x)(?:a|ab|b)*'])
      assert.throws(() => findTextLimit(parseExpression(withoutLooks(pattern))), /exponential/);
  });
});
