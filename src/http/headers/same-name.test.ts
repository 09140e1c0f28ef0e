import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { sameName } from './same-name.js';

describe('names of fields', () => {
  it('are the same where only the case of letters differs', () => {
    // Beside letters: what differs from another character by the bit that tells the case.
    const character = fc.constantFrom(...'aAzZ@`[{^~_09-'.split(''));
    const name = fc.string({ unit: character, maxLength: 4 });
    fc.assert(
      fc.property(name, name, (left, right) => {
        assert.equal(sameName(left, right), left.toLowerCase() === right.toLowerCase());
        assert.equal(sameName(left, left.toUpperCase()), true);
      }),
    );
  });
});
