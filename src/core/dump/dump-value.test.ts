import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { dump } from './dump-value.js';
import { renderSnapshotText } from './render-snapshot-text.js';

let touched = 0;
function touch(): never {
  touched++;
  throw new Error('code of the value ran');
}
const traps = new Proxy({}, { get: () => touch });
const hostileProxy = (): object => new Proxy({}, traps as ProxyHandler<object>);

function hostile(): Record<string, unknown> {
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  const detached = new Uint8Array(8);
  structuredClone(detached.buffer, { transfer: [detached.buffer] });
  let deep: unknown = 'end';
  for (let level = 0; level < 100_000; level++) deep = { deep };
  const cycle: Record<string, unknown> = { name: 'cycle' };
  cycle['self'] = cycle;
  const evil = {
    get trap() {
      return touch();
    },
    toJSON: touch,
    toString: touch,
    valueOf: touch,
    [Symbol.toPrimitive]: touch,
    [Symbol.iterator]: touch,
    [Symbol.for('nodejs.util.inspect.custom')]: touch,
    get [Symbol.toStringTag](): string {
      return touch();
    },
  };
  class Liar {
    get [Symbol.toStringTag](): string {
      return touch();
    }
    static get [Symbol.hasInstance](): unknown {
      return touch();
    }
  }
  Object.defineProperty(Liar, 'name', { get: touch });
  const map = new Map<unknown, unknown>([[evil, evil]]);
  Object.defineProperty(map, 'size', { get: touch });
  Object.defineProperty(map, 'entries', { value: touch });
  const error = new Error('real');
  Object.defineProperty(error, 'stack', { get: touch });
  Object.defineProperty(error, 'extra', { get: touch, enumerable: true });
  const date = new Date(0);
  Object.defineProperty(date, 'getTime', { value: touch });
  const regexp = /a/g;
  Object.defineProperty(regexp, 'source', { get: touch });
  Object.defineProperty(regexp, Symbol.toPrimitive, { value: touch });
  return {
    evil,
    liar: new Liar(),
    inherits: Object.create(hostileProxy()) as unknown,
    proxy: hostileProxy(),
    proxyAsLabel: { path: new Proxy(['password'], traps as ProxyHandler<string[]>), value: 'x' },
    functionProxy: new Proxy(function named() {}, traps as ProxyHandler<() => void>),
    revoked: revoked.proxy,
    map,
    set: new Set([evil, hostileProxy()]),
    error,
    date,
    invalidDate: new Date(Number.NaN),
    regexp,
    detached,
    view: new DataView(new ArrayBuffer(4)),
    buffer: new SharedArrayBuffer(4),
    nullPrototype: Object.create(null) as unknown,
    deep,
    cycle,
    text: 'x'.repeat(10_000_000),
    wide: Array.from({ length: 1_000_000 }, (_, index) => index),
    sparse: (() => {
      const list: unknown[] = [];
      list.length = 2 ** 32 - 1;
      return list;
    })(),
    hugeMap: new Map(Array.from({ length: 100_000 }, (_, index) => [index, index])),
    big: 10n ** 100_000n,
    symbol: Symbol('s'),
    [Symbol('key')]: 1,
    boxed: [new Number(1), Object(1n), Object(Symbol('b'))],
    foreign: runInNewContext('({ a: [1, new Map([[1, 2]]), new Error("far")] })') as unknown,
    promise: Promise.resolve(1),
    weak: new WeakMap(),
    generator: (function* () {
      yield 1;
    })(),
    namespace: fc,
    surrogate: '\ud800',
    proto: JSON.parse('{"__proto__": {"polluted": 1}, "constructor": 5}') as unknown,
  };
}

describe('dump of hostile values', () => {
  for (const [name, value] of Object.entries(hostile())) {
    it(`${name}: plain, bounded data; none of its code runs`, () => {
      touched = 0;
      for (const given of [value, { held: value }, [value], new Map([[value, value]])]) {
        const snapshot = dump(given);
        const json = JSON.stringify(snapshot);
        assert.ok(json.length > 0 && Buffer.byteLength(json) <= 65_536, `${Buffer.byteLength(json)} bytes`);
        assert.notEqual(snapshot.type, 'unreadable');
        assert.deepEqual(JSON.parse(json), snapshot);
        assert.ok(renderSnapshotText(snapshot).length > 0);
      }
      assert.equal(touched, 0);
    });
  }

  it('stays within its byte limit even if many branches are named and counted but not opened', () => {
    class Measurement {
      size = 1;
    }
    const maps = (): unknown => new Map([[new Map([[1, 2]]), new Map([[3, 4]])]]);
    for (const make of [
      () => Array.from({ length: 1000 }),
      () => new Measurement(),
      maps,
      () => ({ password: 'x' }),
    ]) {
      const snapshot = dump(
        Array.from({ length: 100 }, () => make()),
        { bytes: 2000 },
      );
      assert.ok(Buffer.byteLength(JSON.stringify(snapshot)) <= 2400, JSON.stringify(snapshot));
      assert.ok((snapshot.entries?.length ?? 0) >= 8, 'as many entries as fit');
    }
  });

  it('never throws, stays within its byte limit and is plain data for any value that fast-check generates', () => {
    fc.assert(
      fc.property(
        fc.anything({
          withBigInt: true,
          withDate: true,
          withMap: true,
          withSet: true,
          withTypedArray: true,
          withNullPrototype: true,
          withSparseArray: true,
          withObjectString: true,
        }),
        (value) => {
          const snapshot = dump(value, { bytes: 2000 });
          const json = JSON.stringify(snapshot);
          assert.ok(Buffer.byteLength(json) <= 2000 + 400, `${Buffer.byteLength(json)}`);
          assert.deepEqual(JSON.parse(json), snapshot);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('dump', () => {
  const text = (value: unknown, options = {}): string =>
    renderSnapshotText(dump(value, options)).replaceAll(/\s+/g, ' ');

  it("shows each type's relevant properties", () => {
    assert.equal(
      text({ a: 1, b: 'x', c: [true, null], d: undefined }),
      '{ a: 1 b: "x" c: Array(2) [ true null ] d: undefined }',
    );
    assert.equal(text(new Map([['k', new Set([1])]])), 'Map(1) { "k" => Set(1) { 1 } }');
    assert.equal(text(-0), '-0');
    assert.equal(
      text(
        new (class Basket {
          size = 2;
        })(),
      ),
      'Basket { size: 2 }',
    );
    assert.equal(text(new Date(0)), '1970-01-01T00:00:00.000Z');
    assert.equal(text(/a\/b/giu), '/a\\/b/giu');
    assert.equal(
      text(function named() {}),
      '[function named()]',
    );
    assert.equal(
      text({
        get now() {
          return 1;
        },
      }),
      '{ now: [getter, not run] }',
    );
  });

  it('marks truncation', () => {
    const cut = dump('x'.repeat(5000));
    assert.equal(cut.text?.length, 2000);
    assert.equal(cut.length, 5000);
    assert.match(text('x'.repeat(5000)), /… 3000 more characters$/);
    const wide = dump(Array.from({ length: 500 }, () => 0));
    assert.equal(wide.entries?.length, 100);
    assert.equal(wide.more, 400);
    assert.match(text({ a: { b: { c: { d: 1 } } } }, { depth: 2 }), /b: \{ … not expanded \}/);
    const byBytes = dump(
      Array.from({ length: 50 }, () => 'y'.repeat(1500)),
      { bytes: 20_000 },
    );
    assert.ok((byBytes.more ?? 0) > 0);
    assert.equal((byBytes.entries?.length ?? 0) + (byBytes.more ?? 0), 50);
  });

  it('numbers values that occur repeatedly', () => {
    const cycle: Record<string, unknown> = {};
    cycle['again'] = cycle;
    const shared = { v: 1 };
    assert.equal(text(cycle), '*1 { again: [seen above, *1] }');
    assert.equal(text([shared, shared]), 'Array(2) [ *1 { v: 1 } [seen above, *1] ]');
  });

  it('goes level by level: a huge first member does not displace the second', () => {
    const big = { first: Array.from({ length: 90 }, () => ({ text: 'z'.repeat(1900) })), second: 'seen' };
    const second = dump(big).entries?.find((entry) => entry.key === 'second');
    assert.deepEqual(second?.value, { type: 'string', text: 'seen' });
  });

  it('hides secrets by key, in pairs, in lists of names and values, in labelled values and in text', () => {
    const canary = 'c4n4ry-Value';
    const held = {
      password: canary,
      nested: [{ deep: { apiKey: canary } }],
      map: new Map([['access_token', canary]]),
      pairs: [['Authorization', `Bearer ${canary}`]],
      raw: ['Host', 'x', 'Cookie', `sid=${canary}`],
      har: { name: 'csrf_token', value: canary },
      url: `https://user:${canary}@db/`,
      text: `login failed, password=${canary}`,
      json: JSON.stringify({ client_secret: canary }),
      field: { field: 'password', data: canary },
      capitals: { Name: 'password', Value: canary },
      rejected: { instancePath: '/user/password', data: canary },
      spawnargs: ['--password', canary, '-v'],
      command: { name: 'set', args: ['key', canary] },
      [`token=${canary}`]: 1,
      error: Object.assign(new Error(`token=${canary}`), { secret: canary }),
    };
    assert.doesNotMatch(JSON.stringify(dump(held)), /c4n4ry/);
  });

  it('keeps booleans and empty values under secret names, because they reveal nothing', () => {
    const shown = text({ token: null, password: true, session: undefined, secret: '' });
    assert.equal(shown, '{ token: null password: true session: undefined secret: "" }');
  });

  it('stops and says so when it takes too long; a small value is captured completely', () => {
    const late = (count: number): string =>
      text(
        Array.from({ length: count }, (_, v) => ({ v })),
        { milliseconds: -1, entries: 1000, bytes: 1 << 20 },
      );
    assert.doesNotMatch(late(20), /took too long/);
    assert.match(late(500), /\{ … not read: it took too long \}/);
  });
});

it('treats values next to a statement as secrets only if its verb is in the first 2,000 characters', () => {
  const shown = (sql: string): string => JSON.stringify(dump({ sql, params: ['c4nary'] }));
  assert.doesNotMatch(shown(`${' '.repeat(1993)}select 1`), /c4nary/);
  assert.match(shown(`${' '.repeat(1994)}select 1`), /c4nary/);
  assert.match(shown('no statement'), /c4nary/);
});
