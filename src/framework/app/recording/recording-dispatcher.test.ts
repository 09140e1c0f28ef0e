import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findPromises } from './recording-dispatcher.js';

const late = Promise.resolve(1);

describe('promises in a result that are not awaited', () => {
  it('are found with their paths, in objects and lists', () => {
    assert.deepEqual(findPromises({ user: late, items: [{ author: late }, 1], name: 'x' }), [
      'user',
      'items.0.author',
    ]);
    assert.deepEqual(findPromises([late, [late]]), ['0', '1.0']);
    assert.deepEqual(findPromises(late), [''], 'the result itself');
  });

  it('are not found in results without promises', () => {
    for (const value of [undefined, null, 1, 'x', [], {}, new Map([['a', late]])])
      assert.deepEqual(findPromises(value), []);
  });

  it('runs no getter and no proxy trap', () => {
    let asked = 0;
    const trap = new Proxy(
      {},
      {
        ownKeys: () => (asked++, []),
        getOwnPropertyDescriptor: () => (asked++, undefined),
        get: () => (asked++, late),
      },
    );
    const result = {
      get lazy(): unknown {
        asked++;
        return late;
      },
      trap,
      real: late,
    };
    assert.deepEqual(findPromises(result), ['real']);
    assert.equal(asked, 0);
  });

  it('is bounded in depth, values and findings, and survives circular references', () => {
    assert.deepEqual(findPromises({ a: { b: { c: late } } }), ['a.b.c']);
    assert.deepEqual(findPromises({ a: { b: { c: { d: late } } } }), []);
    assert.equal(findPromises(Array.from({ length: 100 }, () => late)).length, 5);
    assert.deepEqual(findPromises([...Array.from({ length: 1000 }, () => ({})), late]), []);
    const circle: Record<string, unknown> = { late };
    circle['self'] = circle;
    assert.equal(findPromises(circle)[0], 'late');
    assert.ok(findPromises(circle).length <= 5);
  });
});
