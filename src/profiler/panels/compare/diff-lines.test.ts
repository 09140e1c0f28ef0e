import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { diffLines } from './diff-lines.js';

describe('lines that are compared', () => {
  it('are the fewest that differ', () => {
    const line = fc.constantFrom('a', 'b', 'c');
    const longest = (a: readonly string[], b: readonly string[]): number => {
      if (a.length === 0 || b.length === 0) return 0;
      if (a[0] === b[0]) return 1 + longest(a.slice(1), b.slice(1));
      return Math.max(longest(a.slice(1), b), longest(a, b.slice(1)));
    };
    fc.assert(
      fc.property(fc.array(line, { maxLength: 6 }), fc.array(line, { maxLength: 6 }), (a, b) => {
        const lines = diffLines(a, b);
        assert.equal(lines.filter(({ side }) => side === 'both').length, longest(a, b));
        assert.deepEqual(
          lines.filter(({ side }) => side !== 'second').map(({ text }) => text),
          a,
        );
        assert.deepEqual(
          lines.filter(({ side }) => side !== 'first').map(({ text }) => text),
          b,
        );
      }),
    );
  });

  it('of more than 400 are compared as sets', () => {
    const many = Array.from({ length: 401 }, (_, at) => String(at));
    const lines = diffLines(many, many.toReversed());
    assert.equal(lines.length, 401);
    assert.ok(lines.every(({ side }) => side === 'both'));
    assert.deepEqual(diffLines(many, [...many, 'new']).at(-1), { text: 'new', side: 'second' });
  });
});
