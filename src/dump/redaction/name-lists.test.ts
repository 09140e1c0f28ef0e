import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NameLists } from './name-lists.js';

describe('lists of names', () => {
  it('are worked out once for the same names, whatever the values are', () => {
    const asked: (readonly string[])[] = [];
    const lists = new NameLists((names) => ({ count: asked.push(names) }));
    const first = lists.of(['Host', 'a', 'Cookie', 'sid=1']);
    assert.equal(lists.of(['Host', 'b', 'Cookie', 'sid=2']), first);
    for (const other of [
      ['Cookie', 'sid=1', 'Host', 'a'],
      ['host', 'a', 'Cookie', 'sid=1'],
      ['Host', 'a'],
      ['Host', 'a', 'Cookie', 'sid=1', 'Accept', '*/*'],
      [],
    ])
      assert.notEqual(lists.of(other), first, other.join());
    assert.equal(lists.of(['Host', 'c', 'Cookie', '']), first);
    assert.deepEqual(asked[0], ['Host', 'Cookie'], 'no value is kept');
  });

  it('are right for any number of lists, and for long ones', () => {
    const lists = new NameLists((names) => names.join());
    for (let round = 0; round < 3; round++)
      for (let size = 0; size < 100; size++) {
        const names = Array.from({ length: size }, (_, at) => `X-${size}-${at}`);
        assert.equal(lists.of(names.flatMap((name) => [name, String(round)])), names.join());
      }
  });
});
