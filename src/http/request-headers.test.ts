import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { RequestHeaders } from './request-headers.js';

describe('request headers that came before', () => {
  it('are given in the place of equal ones', () => {
    const first = RequestHeaders.of(['Host', 'a', 'X-Once', '1']);
    assert.equal(RequestHeaders.of(['Host', 'a', 'X-Once', '1']), first);
    assert.notEqual(RequestHeaders.of(['Host', 'a', 'X-Once', '2']), first);
    assert.equal(RequestHeaders.of(['Host', 'a', 'X-Once', '1']), first, 'others come in between');
    for (let other = 0; other < 4; other++) RequestHeaders.of(['Host', String(other)]);
    const again = RequestHeaders.of(['Host', 'a', 'X-Once', '1']);
    assert.notEqual(again, first, 'forgotten, and equal all the same');
    assert.deepEqual(again.raw, first.raw);
  });

  it('have the fields that were asked for, however often, in whatever spelling, whatever came before', () => {
    const field = fc.constantFrom('Host', 'host', 'Cookie', 'a', 'B', '');
    const list = fc.array(fc.tuple(field, field), { maxLength: 3 }).map((pairs) => pairs.flat());
    const names = ['Host', 'host', 'cookie', 'A', 'b', 'x'];
    fc.assert(
      fc.property(fc.array(list, { maxLength: 30 }), (lists) => {
        for (const raw of lists) {
          const headers = RequestHeaders.of(raw);
          assert.deepEqual(headers.raw, raw);
          for (const name of [...names, ...names]) {
            assert.equal(headers.get(name), new RequestHeaders([...raw]).get(name), name);
            assert.equal(headers.has(name), headers.count(name) > 0);
          }
        }
      }),
    );
  });
});
