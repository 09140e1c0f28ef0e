import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { deepField, fieldOf, listField, textField } from './fields.js';
import { ownData } from './fields.js';

const hostile = {
  get value(): never {
    throw new Error('was run');
  },
};

describe("foreign objects' fields", () => {
  it('are undefined if missing, unreadable, or of another type', () => {
    const refusing = new Proxy({}, { get: () => assert.fail('refused') });
    for (const value of [undefined, null, 7, 'text', {}, hostile, refusing]) {
      assert.equal(fieldOf(value, 'value'), undefined);
      assert.equal(deepField(value, 'value', 'value'), undefined);
      assert.equal(textField(value, 'value'), '');
      assert.deepEqual(listField(value, 'value'), []);
    }
    assert.equal(
      fieldOf(
        Object.assign(() => undefined, { value: 7 }),
        'value',
      ),
      7,
    );
    assert.equal(deepField({ one: { two: 'found' } }, 'one', 'two'), 'found');
  });

  it('are read as data without running code, up to a maximum number', () => {
    assert.deepEqual(
      { ...ownData(Object.defineProperties({ a: 1 }, Object.getOwnPropertyDescriptors(hostile))) },
      { a: 1 },
    );
    for (const other of [null, 7, [], new Proxy({}, { ownKeys: () => assert.fail('was asked') })])
      assert.equal(ownData(other), undefined);
    fc.assert(
      fc.property(fc.object({ maxDepth: 1, maxKeys: 200 }), (value) => {
        const data = ownData(value) ?? {};
        assert.equal(Object.getPrototypeOf(data), null);
        assert.equal(Object.keys(data).length, Math.min(150, Object.keys(value).length));
        for (const [name, field] of Object.entries(data)) assert.equal(field, value[name]);
      }),
    );
  });
});
