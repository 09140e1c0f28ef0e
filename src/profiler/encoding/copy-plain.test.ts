import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createRedactor, redactedMark } from '#core/dump';
import { copyPlain } from './copy-plain.js';

/** Includes lone surrogates; generated faster than by the library's own unit. */
const anyCharacter = fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code));

const redactor = createRedactor();

const secretNames = [
  'password',
  'api_key',
  'client_secret',
  'Authorization',
  'access_token',
  'sessionId',
  'cvv',
];

const secretName = fc.constantFrom(...secretNames);

/** A text that cannot occur by chance. */
const secret = fc.stringMatching(/^[A-Z][a-z][0-9][A-Za-z0-9]{9,20}$/).map((text) => `c4nary${text}`);

const anyText = fc.string({ unit: anyCharacter, maxLength: 20 });

describe('a copy of plain data', () => {
  const copied = (value: unknown, limit = 10_000): unknown => copyPlain(value, redactor, limit).data;
  const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

  it('has the same data, and shares nothing with it', () => {
    const word = fc.constantFrom('a', 'b', '__proto__', 'constructor', 'title');
    const value = fc.letrec<{ any: unknown }>((tie) => ({
      any: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom<unknown>(null, true, false, 'text', '', 'é', 0, -1.5, 1e300),
        fc.array(tie('any'), { maxLength: 3 }),
        fc.dictionary(word, tie('any'), { maxKeys: 3 }),
      ),
    })).any;
    fc.assert(
      fc.property(value, (given) => {
        const { data, cut } = copyPlain(given, redactor, 100_000);
        assert.deepEqual(plain(data), plain(given));
        assert.equal(cut, false);
        if (typeof given === 'object' && given !== null) assert.notEqual(data, given);
      }),
    );
  });

  it("runs none of its input's code", () => {
    const hostile = {
      get getter(): never {
        throw new Error('run');
      },
      proxy: new Proxy({}, { ownKeys: () => assert.fail('run'), get: () => assert.fail('run') }),
      toJSON: () => assert.fail('run'),
      call: () => assert.fail('run'),
      symbol: Symbol('s'),
      [Symbol.toPrimitive]: () => assert.fail('run'),
      big: 12n,
      none: undefined,
      left: 'here',
    };
    const list = [hostile.proxy, 1, undefined];
    Object.defineProperty(list, 1, { get: () => assert.fail('run'), enumerable: true });
    assert.deepEqual(plain(copied(hostile)), { big: '12n', left: 'here' });
    assert.deepEqual(plain(copied(list)), [null, null, null]);
    assert.equal(copied(hostile.proxy), null);
    assert.equal(
      copied(() => 1),
      null,
    );
  });

  it('names bytes without reading them', () => {
    assert.deepEqual(plain(copied({ file: Buffer.alloc(1e8) })), { file: '(bytes)' });
  });

  it('names numbers that JSON cannot represent', () => {
    assert.deepEqual(copied([Number.NaN, Infinity, -Infinity, -0]), ['NaN', 'Infinity', '-Infinity', -0]);
  });

  it('keeps nothing under a secret name, at any depth, and no secret in a text', () => {
    fc.assert(
      fc.property(secret, secretName, anyText, fc.nat(5), (hidden, name, beside, depth) => {
        let data: unknown = {
          [name]: fc.sample(fc.constantFrom<unknown>(hidden, [hidden], { of: hidden }), 1)[0],
          url: `https://ada:${hidden}@host/?${name}=${hidden}`,
          message: `it said password=${hidden}`,
          beside,
        };
        for (let count = 0; count < depth; count++) data = count % 2 === 0 ? [data] : { inner: data };
        assert.ok(!JSON.stringify(copied(data)).includes(hidden));
      }),
    );
  });

  it('drops the argument after a secret option, and keeps the arguments around it', () => {
    const args = ['run', '--password', 'swordfish', '--user', 'ada', '--token'];
    assert.deepEqual(plain(copied(args)), ['run', '--password', redactedMark, '--user', 'ada', '--token']);
    assert.deepEqual(copied(['password', 'swordfish']), ['password', redactedMark]);
  });

  it('hides a value whose label in the same object names a secret, in any case and as a path', () => {
    for (const data of [
      { name: 'password', value: 'swordfish' },
      { Name: 'password', Value: 'swordfish' },
      { instancePath: '/user/password', data: 'swordfish' },
      { path: ['user', 'password'], received: 'swordfish' },
    ])
      assert.doesNotMatch(JSON.stringify(copied(data)), /swordfish/);
    assert.deepEqual(plain(copied({ path: ['user', 'name'], received: 'ada' })), {
      path: ['user', 'name'],
      received: 'ada',
    });
  });

  it('shows values under a secret name that reveal nothing', () => {
    const data = { password: '', token: null, secret: true, api_key: false, session: 'x', pin: 0 };
    assert.deepEqual(plain(copied(data)), {
      password: '',
      token: null,
      secret: true,
      api_key: false,
      session: redactedMark,
      pin: redactedMark,
    });
  });

  it('is complete up to its limits, and cut beyond them', () => {
    const text = 'x'.repeat(100);
    assert.deepEqual(copyPlain(text, redactor, 100), { data: text, cut: false });
    assert.deepEqual(copyPlain(`${text}y`, redactor, 100), { data: text, cut: true });
    const ones = (count: number): number[] => Array.from({ length: count }, () => 1);
    // One part per eight characters; the list itself counts as one.
    assert.deepEqual(copyPlain(ones(9), redactor, 80), { data: ones(9), cut: false });
    assert.deepEqual(copyPlain(ones(10), redactor, 80), { data: ones(9), cut: true });
    const nested = (depth: number): unknown => (depth === 0 ? 1 : { deep: nested(depth - 1) });
    assert.equal(copyPlain(nested(16), redactor, 1000).cut, false);
    assert.equal(copyPlain(nested(17), redactor, 1000).cut, true);
    assert.deepEqual(plain(copied({ toJSON: 1, a: 2 })), { a: 2 });
    assert.deepEqual(copied([undefined, () => 1]), [null, null]);
  });

  it('is bounded in characters, parts and depth, and marked as cut', () => {
    const long = copyPlain(['x'.repeat(80), 'y'.repeat(80)], redactor, 100);
    assert.equal(long.cut, true);
    assert.ok(JSON.stringify(long.data).length < 120);
    const many = copyPlain(
      Array.from({ length: 1000 }, () => 1),
      redactor,
      800,
    );
    assert.equal(many.cut, true);
    assert.ok((many.data as unknown[]).length <= 100); // a list was given
    const keys = copyPlain(
      Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`k${at}`, 1])),
      redactor,
      800,
    );
    assert.equal(keys.cut, true);
    assert.ok(Object.keys(keys.data as object).length <= 101);
    let deep: unknown = 1;
    for (let depth = 0; depth < 30; depth++) deep = { deep };
    assert.equal(copyPlain(deep, redactor, 10_000).cut, true);
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    assert.equal(copyPlain(circle, redactor, 10_000).cut, true);
    assert.equal(copyPlain({ a: [1, 'two'] }, redactor, 100).cut, false);
  });

  it('of a list with four billion holes finishes at once', () => {
    const list: unknown[] = [];
    list.length = 2 ** 32 - 1;
    assert.equal(copyPlain(list, redactor, 1000).cut, true);
  });

  it('keeps a key `__proto__` as a key, and has no prototype', () => {
    const data = copied(JSON.parse('{"__proto__":{"admin":1}}')) as object; // an object was given
    assert.equal(Object.getPrototypeOf(data), null);
    assert.deepEqual(Object.keys(data), ['__proto__']);
  });
});
