import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { idOf, isRandomId, randomId, tokenOf } from './token.js';

describe('id tokens', () => {
  it('convert back to their id, for ids of all sizes', () => {
    const id = fc.oneof(
      fc.nat(2 ** 24),
      fc.integer({ min: 2 ** 24 - 2, max: 2 ** 32 + 2 }),
      fc.integer({ min: 2 ** 32, max: 2 ** 40 - 1 }),
      fc.integer({ min: 2 ** 48, max: 2 ** 49 - 1 }),
    );
    fc.assert(fc.property(id, (one) => assert.equal(idOf(tokenOf(one)), one)));
  });

  it('grow longer with the id', () => {
    for (const [id, digits] of [
      [0, 6],
      [2 ** 24 - 1, 6],
      [2 ** 24, 8],
      [2 ** 32 - 1, 8],
      [2 ** 32, 10],
      [2 ** 48, 12],
    ] as const)
      assert.match(tokenOf(id), new RegExp(`^[0-9a-f]{${digits}}$`));
  });

  it('of consecutive ids differ in their first digits', () => {
    const first = Array.from({ length: 16 }, (_, id) => tokenOf(1000 + id).slice(0, 2));
    assert.ok(new Set(first).size > 12, first.join(' '));
  });

  it('of random ids have twelve digits and need no reservation', () => {
    const id = randomId();
    assert.ok(isRandomId(id));
    assert.equal(idOf(tokenOf(id)), id);
    assert.equal(isRandomId(2 ** 40 - 1), false);
  });

  it('have no id if they are malformed', () => {
    for (const text of ['', 'latest', '12345', '1234567', '12345G', 'ABCDEF', '00000000', '1234567890123'])
      assert.equal(idOf(text), undefined, text);
  });
});
