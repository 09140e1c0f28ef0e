import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { editDistance } from './nearest.js';

describe('the edit distance', () => {
  /** The recursive definition: the minimum cost over all first steps. */
  function distance(from: string, to: string): number {
    if (from === '' || to === '') return from.length + to.length;
    const ways = [
      distance(from.slice(1), to) + 1,
      distance(from, to.slice(1)) + 1,
      distance(from.slice(1), to.slice(1)) + (from[0] === to[0] ? 0 : 1),
    ];
    if (from.length > 1 && from[0] === to[1] && from[1] === to[0])
      ways.push(distance(from.slice(2), to.slice(2)) + 1);
    return Math.min(...ways);
  }

  it('is the number of insertions, deletions, substitutions and swaps of neighbours, up to its limit', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 6 });
    fc.assert(
      fc.property(text, text, fc.integer({ min: 0, max: 7 }), (from, to, limit) => {
        assert.equal(editDistance(from, to, limit), Math.min(distance(from, to), limit + 1));
      }),
      { examples: [['aaacc', 'aaccaa', 1]] },
    );
  });
});
