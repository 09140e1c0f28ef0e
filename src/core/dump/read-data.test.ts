import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { classNameOf, findData, functionName } from './read-data.js';

const trapped = (target: object): object =>
  new Proxy(target, {
    get: () => assert.fail('a trap ran'),
    getOwnPropertyDescriptor: () => assert.fail('a trap ran'),
    getPrototypeOf: () => assert.fail('a trap ran'),
  });

describe('data of foreign objects', () => {
  it('is found on the object and its prototypes', () => {
    assert.equal(findData({ a: 1 }, 'a'), 1);
    assert.equal(findData(Object.create({ a: 2 }) as object, 'a'), 2);
    assert.equal(findData(Object.create(null) as object, 'a'), undefined);
    assert.equal(findData({ a: undefined }, 'a'), undefined);
    const sign = Symbol('sign');
    assert.equal(findData({ [sign]: 3 }, sign), 3);
  });

  it('equals a property read, for plain data', () => {
    const anyKey = fc.oneof(fc.string(), fc.constantFrom('constructor', 'toString', '__proto__'));
    fc.assert(
      fc.property(fc.dictionary(anyKey, fc.integer(), { noNullPrototype: true }), anyKey, (data, key) => {
        if (key === '__proto__' && !Object.hasOwn(data, key)) return;
        assert.equal(findData(data, key), data[key]);
      }),
    );
  });

  it('runs no getter, even if a getter hides data behind it', () => {
    const holder = Object.create({ a: 1 }) as object;
    Object.defineProperty(holder, 'a', { get: () => assert.fail('the getter ran') });
    assert.equal(findData(holder, 'a'), undefined);
  });

  it('ends at a Proxy, and after a hundred prototypes', () => {
    assert.equal(findData(trapped({ a: 1 }), 'a'), undefined);
    assert.equal(findData(Object.create(trapped({ a: 1 })) as object, 'a'), undefined);
    let deep: object = { a: 1 };
    for (let step = 0; step < 99; step++) deep = Object.create(deep) as object;
    assert.equal(findData(deep, 'a'), 1);
    assert.equal(findData(Object.create(deep) as object, 'a'), undefined);
  });
});

describe('names of foreign values', () => {
  it('are the names of their classes', () => {
    class Basket {}
    assert.equal(classNameOf(new Basket()), 'Basket');
    assert.equal(classNameOf([]), 'Array');
    assert.equal(classNameOf({}), 'Object');
    assert.equal(classNameOf(Object.create(null) as object), 'null');
    assert.equal(classNameOf(new (class {})()), 'Object');
  });

  it('are never computed, and bounded in length', () => {
    const named = (name: unknown): object => {
      class Made {}
      Object.defineProperty(Made, 'name', { value: name, configurable: true });
      return new Made();
    };
    assert.equal(classNameOf(named('x'.repeat(1000))).length, 200);
    assert.equal(classNameOf(named({ toString: () => assert.fail('it ran') })), 'Object');
    assert.equal(classNameOf({ constructor: 'Admin' }), 'Object');
    class Computed {
      static get name(): string {
        return assert.fail('the getter ran');
      }
    }
    assert.equal(classNameOf(new Computed()), 'Object');
    assert.equal(classNameOf(trapped({})), 'Proxy');
    assert.equal(functionName(trapped(() => undefined)), '');
    assert.equal(functionName(classNameOf), 'classNameOf');
  });
});
