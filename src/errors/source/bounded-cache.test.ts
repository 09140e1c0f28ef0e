import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { BoundedCache } from './bounded-cache.js';

const step = fc.oneof(
  fc.record({
    kind: fc.constant('set' as const),
    key: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    weight: fc.nat({ max: 6 }),
  }),
  fc.record({
    kind: fc.constantFrom('get' as const, 'delete' as const),
    key: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    weight: fc.constant(0),
  }),
);

describe('a cache with bounds', () => {
  it('keeps what was used last, as far as its entries and their weight allow', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 12 }),
        fc.array(step, { maxLength: 40 }),
        (maxEntries, maxWeight, steps) => {
          const cache = new BoundedCache<number>(maxEntries, maxWeight);
          let model: { key: string; value: number; weight: number }[] = []; // least recently used first
          for (const [value, { kind, key, weight }] of steps.entries()) {
            const known = model.find((entry) => entry.key === key);
            const others = model.filter((entry) => entry.key !== key);
            if (kind === 'get') {
              assert.equal(cache.get(key), known?.value);
              if (known !== undefined) model = [...others, known];
            } else if (kind === 'delete') {
              cache.delete(key);
              model = others;
            } else {
              cache.set(key, value, weight);
              model = [...others, { key, value, weight }];
              const total = (): number => model.reduce((sum, entry) => sum + entry.weight, 0);
              while (model.length > maxEntries || total() > maxWeight) model.shift();
            }
          }
          for (const key of ['a', 'b', 'c', 'd', 'e'])
            assert.equal(cache.get(key), model.find((entry) => entry.key === key)?.value);
        },
      ),
    );
  });

  it('what weighs more than all is not kept, and leaves room for others', () => {
    const cache = new BoundedCache<string>(10, 5);
    cache.set('small', 's', 1);
    cache.set('huge', 'h', 100);
    assert.deepEqual([cache.get('huge'), cache.get('small')], [undefined, undefined]);
    cache.set('small', 's', 5);
    assert.equal(cache.get('small'), 's');
  });
});
