import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { openBranch } from './members.js';

const keysOf = (value: object, limit = 100): readonly string[] =>
  openBranch(value, limit).members.map(({ key, kind }) => `${kind} ${key}`);

describe('members of foreign objects', () => {
  it('are listed up to the limit; the rest is counted', () => {
    const collections = fc.oneof(
      fc.array(fc.integer(), { maxLength: 20 }),
      fc.array(fc.integer(), { maxLength: 20 }).map((list) => new Set(list)),
      fc.array(fc.tuple(fc.string(), fc.integer()), { maxLength: 20 }).map((list) => new Map(list)),
      fc.uint8Array({ maxLength: 20 }),
      fc.dictionary(fc.string(), fc.integer(), { maxKeys: 20 }),
    );
    fc.assert(
      fc.property(collections, fc.integer({ min: 0, max: 25 }), (value, limit) => {
        const whole = openBranch(value, 1000);
        const { members, more, length } = openBranch(value, limit);
        assert.equal(members.length, Math.min(limit, whole.members.length));
        assert.equal(members.length + more, whole.members.length + whole.more);
        if (length !== undefined) assert.equal(length, whole.members.length);
        assert.deepEqual(members, whole.members.slice(0, members.length));
      }),
    );
  });

  it('have their kind: index, property, hidden property, symbol or key', () => {
    const holder = { plain: 1, [Symbol('sign')]: 2 };
    Object.defineProperty(holder, 'unseen', { value: 3 });
    assert.deepEqual(keysOf(holder), ['property plain', 'hidden unseen', 'symbol Symbol(sign)']);
    assert.deepEqual(keysOf(['a', 'b']), ['index 0', 'index 1']);
    assert.deepEqual(keysOf(Object.assign(['a'], { groups: 1 })), ['index 0', 'property groups']);
    assert.deepEqual(
      keysOf(
        new Map<unknown, number>([
          ['a', 1],
          [{}, 2],
        ]),
      ),
      ['key a', 'key '],
    );
    assert.deepEqual(keysOf(new Set(['a'])), ['index 0']);
  });

  it("are read without running the object's code", () => {
    const map = Object.assign(new Map([['a', 1]]), {
      entries: () => assert.fail("the object's own method ran"),
      [Symbol.iterator]: () => assert.fail("the object's own iterator ran"),
    });
    assert.equal(openBranch(map, 10).members[0]?.value, 1);
    class Loud extends Set<number> {
      override get size(): number {
        return assert.fail("the object's getter ran");
      }
    }
    assert.equal(openBranch(new Loud([7]), 10).length, 1);
    const [getter] = openBranch(
      {
        get loud() {
          return assert.fail('it ran');
        },
      },
      10,
    ).members;
    assert.deepEqual(getter, { key: 'loud', kind: 'property', value: undefined, accessor: true });
  });

  it('of a sparse list are only the existing ones', () => {
    const list: unknown[] = [];
    list[2] = 'c';
    assert.deepEqual(keysOf(list), ['index 2']);
    assert.equal(openBranch(list, 100).length, 3);
  });

  it('of an error exclude the stack, which needs special care', () => {
    assert.ok(!keysOf(new Error('no')).some((key) => key.endsWith(' stack')));
    assert.equal(openBranch(new Error('no'), 10).type, 'error');
    assert.deepEqual(keysOf({ stack: 'a card' }), ['property stack']);
  });

  it('of bytes are the first bytes; a detached or opaque buffer has none', () => {
    const { members, more } = openBranch(
      Uint8Array.from({ length: 100 }, (_, at) => at),
      1000,
    );
    assert.deepEqual(
      members.map(({ key, value }) => [key, value]),
      Array.from({ length: 32 }, (_, at) => [String(at), at]),
    );
    assert.equal(more, 68);
    const factsOf = (bytes: object): unknown[] => {
      const { type, length, members: none, more: further } = openBranch(bytes, 10);
      return [type, length, none, further];
    };
    for (const bytes of [new ArrayBuffer(8), new SharedArrayBuffer(8), new DataView(new ArrayBuffer(8))])
      assert.deepEqual(factsOf(bytes), ['bytes', 8, [], 0]);
    const buffer = new ArrayBuffer(8);
    const views = [buffer, new Uint8Array(buffer), new DataView(buffer)];
    structuredClone(buffer, { transfer: [buffer] });
    for (const bytes of views) assert.deepEqual(factsOf(bytes), ['bytes', 0, [], 0]);
  });
});
