import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createRedactor } from './redaction/create-redactor.js';
import { PlainDump } from './dump-plain.js';
import { walk } from './dump-value.js';

const redactor = createRedactor();
const limits = { depth: 4, entries: 12, text: 40, nodes: 60, bytes: 4000, milliseconds: 1000 };
const plain = new PlainDump(limits, redactor);
const key = fc.constantFrom(
  'name',
  'value',
  'key',
  'password',
  'a',
  'token=abc123',
  '__proto__',
  'toJSON',
  '0',
  '',
  'a long name of a field, as nobody would choose it',
);
const leaf = fc.oneof(
  fc.string({ maxLength: 60 }),
  fc.constantFrom<unknown>(
    'Authorization',
    'Bearer abc123DEF',
    'password=hunter2',
    -0,
    Number.NaN,
    null,
    undefined,
    true,
    1n,
  ),
  fc.constantFrom<unknown>(new Date(0), /a/, Symbol('s'), () => 1, new Map([[1, 2]]), new Error('x')),
);
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof({ depthSize: 'small' }, leaf, tie('list'), tie('object'), tie('twice')),
  list: fc.array(tie('tree'), { maxLength: 14 }),
  object: fc.dictionary(key, tie('tree'), { maxKeys: 8, noNullPrototype: false }),
  twice: tie('tree').map((value) => [value, value]),
}));

describe('the picture of a small plain value', () => {
  it('is the one that the thorough walk makes, or none', () => {
    let pictured = 0;
    fc.assert(
      fc.property(tree, (value) => {
        const picture = plain.picture(value);
        if (picture === undefined) return;
        pictured++;
        assert.deepEqual(picture, walk(value, limits, redactor));
      }),
      { numRuns: 2000 },
    );
    assert.ok(pictured > 100, `${pictured} values were plain`);
  });

  it('is none where the names or the hidden values alone are too much', () => {
    const fields = (start: string): object =>
      Object.fromEntries(Array.from({ length: 12 }, (_, place) => [`${start}_${place}`, 'x']));
    for (const start of ['password', 'p'.repeat(90)])
      assert.equal(plain.picture(Array.from({ length: 10 }, () => fields(start))), undefined);
  });

  it('is made of what is logged mostly', () => {
    for (const value of [
      { name: 'world', line: 3 },
      { user: { id: 7, roles: ['a', 'b', 'c'] }, ok: true },
      [1, 2, 3],
      { at: new Date(0), pattern: /a+/i, done: Promise.resolve(1) },
      Object.assign(Object.create(null), { a: 1 }) as unknown, // any in the library's type
      { password: 'hunter2' },
    ])
      assert.deepEqual(plain.picture(value), walk(value, limits, redactor));
    assert.doesNotMatch(JSON.stringify(plain.picture({ password: 'hunter2' })), /hunter2/);
  });

  it('is none where code of the value could run or something would be left out', () => {
    const accessor = {
      get now(): number {
        return assert.fail('a getter ran');
      },
    };
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    const hidden = Object.defineProperty({ a: 1 }, 'b', { value: 2, enumerable: false });
    const named = Object.assign([1, 2], { index: 0 });
    for (const value of [
      accessor,
      cycle,
      hidden,
      named,
      { [Symbol('s')]: 1, a: 1 },
      new Proxy({ a: 1 }, {}),
      new (class Basket {
        size = 2;
      })(),
      [1, , 3], // oxlint-disable-line no-sparse-arrays -- a hole is what is meant
      { a: 'x'.repeat(41) },
      Array.from({ length: 13 }, () => 0),
      { a: { b: { c: { d: {} } } } },
    ])
      assert.equal(plain.picture(value), undefined);
  });
});
