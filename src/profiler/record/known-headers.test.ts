import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { knownHeaders } from './known-headers.js';

describe('header lists seen before', () => {
  it('are given in the place of equal ones', () => {
    const first = knownHeaders(['Host', 'a', 'X-Once', '1']);
    assert.equal(knownHeaders(['Host', 'a', 'X-Once', '1']), first);
    assert.notEqual(knownHeaders(['Host', 'a', 'X-Once', '2']), first);
    assert.equal(knownHeaders(['Host', 'a', 'X-Once', '1']), first, 'others come in between');
    for (let other = 0; other < 4; other++) knownHeaders(['Host', String(other)]);
    assert.deepEqual(knownHeaders(['Host', 'a', 'X-Once', '1']), first, 'forgotten, and equal all the same');
  });

  it('have the fields that were asked for, whatever was asked before', () => {
    const field = fc.constantFrom('Host', 'host', 'a', 'b', '');
    fc.assert(
      fc.property(fc.array(fc.array(field, { maxLength: 4 }), { maxLength: 30 }), (lists) => {
        for (const list of lists) {
          assert.deepEqual(knownHeaders(list), list);
          assert.deepEqual(knownHeaders(list), list);
        }
      }),
    );
  });
});
