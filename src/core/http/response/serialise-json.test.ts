import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import vm from 'node:vm';
import { runInScope, Scope } from '#core/scope';
import { type LostInJson, lostInJson, requestDebug } from '../request/request-facts.js';
import { HttpResponse } from './http-response.js';
import { serialiseJson } from './serialise-json.js';

const debug = new Scope();
debug.set(requestDebug, true);
const render = (value: unknown): string => runInScope(debug, serialiseJson, value);

class Secretive {
  readonly #name = 'Ada';
  name(): string {
    return this.#name;
  }
}

/** Like a query builder, which runs when it is awaited. */
class Query {
  // oxlint-disable-next-line unicorn/no-thenable -- the subject of the test
  then(done: (rows: string[]) => void): void {
    done(['Ada']);
  }
}

const circular: { name: string; parts: unknown[] } = { name: 'a', parts: [] };
circular.parts.push({ whole: circular });

describe("a response's JSON", () => {
  const lost: readonly (readonly [value: unknown, message: RegExp])[] = [
    [{ user: Promise.resolve(1) }, /contains a promise at \.user, .* Is an await missing\?/],
    [[1, 2].map((id) => Promise.resolve(id)), /a promise at \[0\]/],
    [{ a: { 'first name': [new Map([['a', 1]])] } }, /a Map at \.a\["first name"\]\[0\]/],
    [new Map([['a', 1]]), /a Map at its top level/],
    [{ tags: new Set(['x']) }, /a Set at \.tags/],
    [{ rows: new Query() }, /a promise at \.rows, .* Is an await missing\?/],
    [{ user: new Secretive() }, /an instance of Secretive without fields at \.user/],
    [{ error: new RangeError('no') }, /an instance of RangeError/],
    [{ query: new URLSearchParams('a=1') }, /an instance of URLSearchParams/],
    [{ rows: (async function* rows() {})() }, /an instance of/],
    [{ toJSON: () => ({ inner: new Map() }) }, /a Map at \.inner/],
    [{ mean: [1, 0 / 0] }, /NaN at \.mean\[1\], which would be sent as null\. JSON has finite numbers only/],
    [{ none: null, ratio: 1 / 0 }, /Infinity at \.ratio/],
    [-Infinity, /-Infinity at its top level/],
    [{ made: new Date('soon') }, /an invalid Date at \.made, which would be sent as null\. Check it when/],
    [new Date(Number.NaN), /an invalid Date at its top level/],
    [{ steps: [(): number => 1] }, /a function at \.steps\[0\], which would be sent as null/],
    [Symbol('x'), /a symbol at its top level/],
    [{ toJSON: () => Number.NaN }, /NaN at its top level/],
  ];

  it('refuses lost values in debug', () => {
    for (const [value, message] of lost) {
      assert.throws(() => render(value), { code: 'HTTP_JSON_LOST', message });
      assert.throws(() => runInScope(debug, () => HttpResponse.json(value)), { code: 'HTTP_JSON_LOST' });
    }
  });

  it('refuses a BigInt and a circular reference with the place, and passes on the errors of toJSON', () => {
    for (const [value, message] of [
      [{ total: { sum: 5n } }, /cannot contain a BigInt at \.total\.sum\. Use String\(value\)/],
      [[1, 5n], /a BigInt at \[1\]/],
      [5n, /a BigInt at its top level/],
      [circular, /a circular reference at \.parts\[0\]\.whole/],
      [{ again: [circular, new Query()] }, /a circular reference at \.again\[0\]\.parts\[0\]\.whole/],
      [{ rows: Object.assign(new Query(), { circular }) }, /a promise at \.rows/],
    ] as const)
      for (const scope of [debug, new Scope()])
        assert.throws(() => runInScope(scope, serialiseJson, value), { code: 'HTTP_JSON_REFUSED', message });
    const shared = { a: 1 };
    assert.throws(
      () => serialiseJson({ first: shared, second: [shared], count: 1n }),
      { message: /a BigInt at \.count\./ },
      'what is repeated before the refused value is not circular',
    );
    assert.equal(
      serialiseJson([shared, { shared }]),
      '[{"a":1},{"shared":{"a":1}}]',
      'repeated, not circular',
    );
    const failing = {
      toJSON(): never {
        throw new RangeError('no value');
      },
    };
    assert.throws(() => serialiseJson([5, failing]), { name: 'RangeError', message: 'no value' });
  });

  it('is sent as JSON.stringify renders it outside debug', () => {
    assert.equal(serialiseJson({ user: Promise.resolve(1) }), '{"user":{}}');
    assert.equal(runInScope(new Scope(), serialiseJson, [new Map()]), '[{}]');
  });

  it('notes lost values outside debug if the request is recorded, at most five, and no failing getter breaks it', () => {
    const scope = new Scope();
    const noted: LostInJson = { lost: [], nulled: [] };
    scope.set(lostInJson, noted);
    const value = {
      user: Promise.resolve(1),
      empty: {},
      mean: Number.NaN,
      sets: Array.from({ length: 9 }, () => new Set([1])),
    };
    assert.match(runInScope(scope, serialiseJson, value), /^\{"user":\{\},"empty":\{\}/);
    assert.deepEqual(noted, {
      lost: ['a promise at .user', ...[0, 1, 2].map((at) => `a Set at .sets[${at}]`)],
      nulled: ['NaN at .mean'],
    });
    let calls = 0;
    const once = {
      empty: {},
      late: {
        toJSON() {
          if (calls++ > 0) throw new Error('a second time');
          return 1;
        },
      },
    };
    assert.equal(runInScope(scope, serialiseJson, once), '{"empty":{},"late":1}');
  });

  it('may contain nulls, empty records, dates, and values that render themselves', () => {
    const other: unknown = vm.runInNewContext('({ empty: {} })');
    const withToJson = { toJSON: () => ({}) };
    const plain = [
      {},
      Object.create(null),
      new Date(0),
      withToJson,
      new Uint8Array(0),
      new Boolean(true),
      '{}',
    ];
    assert.equal(render(plain), '[{},{},"1970-01-01T00:00:00.000Z",{},{},true,"{}"]');
    assert.equal(render(other), '{"empty":{}}');
    assert.equal(render({ value: undefined, f: () => 1 }), '{}');
    assert.equal(render(undefined), 'null');
    assert.equal(render([null, undefined, 0, -0, 'null', { a: null }]), '[null,null,0,0,"null",{"a":null}]');
    class Point {
      x = undefined;
    }
    assert.equal(render([new Point()]), '[{}]', 'an undefined field still counts as a field');
  });
});
