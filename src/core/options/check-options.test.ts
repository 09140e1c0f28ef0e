import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runInNewContext } from 'node:vm';
import { isCodedError } from '#core/coded-error';
import { checkOptions, readOptions } from './check-options.js';
import {
  bytes,
  callable,
  date,
  either,
  flag,
  listOf,
  number,
  oneOf,
  namesTo,
  regularExpression,
  required,
  secret,
  text,
  textWith,
  whole,
} from './option-type.js';
import { optionsSchema, optionsWithDefaults, type OptionsSchema } from './options-schema.js';

interface Inner {
  readonly rate?: number;
  readonly secret?: string;
}
interface Options {
  readonly name: string;
  readonly size?: number;
  readonly on?: boolean;
  readonly inner?: Inner;
  readonly list?: readonly Inner[];
  readonly byName?: Readonly<Record<string, number>>;
  readonly either?: false | Inner;
  readonly until?: Date;
  readonly pattern?: RegExp;
  readonly call?: () => void;
  readonly kind?: 'a' | 'b';
}

const innerSchema: OptionsSchema<Inner, 'rate'> = optionsWithDefaults<Inner, 'rate'>(
  {
    rate: number({ min: 0, max: 1 }),
    secret: secret(textWith('a string of at least 8 characters', (value) => value.length >= 8)),
  },
  { rate: 1 },
);
const schema: OptionsSchema<Options> = optionsSchema<Options>({
  name: required(text),
  size: whole({ min: 1 }),
  on: flag,
  inner: innerSchema,
  list: listOf(innerSchema),
  byName: namesTo(bytes({ orInfinity: true })),
  either: either(oneOf(false), innerSchema),
  until: date,
  pattern: regularExpression,
  call: callable(),
  kind: oneOf('a', 'b'),
});

function refusalOf(
  options: unknown,
  type: OptionsSchema<Options> | OptionsSchema<Inner, 'rate'> = schema,
): string {
  try {
    checkOptions('shop()', options, type);
  } catch (error) {
    assert.ok(isCodedError(error), String(error));
    return `${error.code} ${error.message} ${error.fix ?? ''}`;
  }
  return 'accepted';
}
const valid = (options: object): object => ({ name: 'x', ...options });

describe('checkOptions', () => {
  it('accepts values with the right types, undefined options, and objects without a prototype or from another realm', () => {
    for (const options of [
      { name: '' },
      valid({ size: 1, on: false, inner: {}, list: [{ rate: 0 }, {}], byName: { a: 0, b: Infinity } }),
      valid({ either: false, kind: 'b', size: undefined, other: undefined, call: () => undefined }),
      Object.assign(Object.create(null) as object, valid({ inner: Object.create(null) as object })),
      runInNewContext('({ name: "x", list: [{ rate: 1 }], until: new Date(), pattern: /x/, call() {} })'),
      new Proxy(valid({}), {}),
    ])
      assert.equal(refusalOf(options), 'accepted');
  });

  it('refuses a wrong value at any depth, with its path, its kind and the allowed values', () => {
    const cases: readonly (readonly [options: object, path: string, given: string])[] = [
      [{ size: '10' }, 'size', '"10"'],
      [{ size: 1.5 }, 'size', '1.5'],
      [{ size: -0 }, 'size', '-0'],
      [{ size: -1 }, 'size', '-1'],
      [{ size: NaN }, 'size', 'NaN'],
      [{ size: Infinity }, 'size', 'Infinity'],
      [{ size: 10n }, 'size', 'a bigint'],
      [{ size: Object(1) }, 'size', 'an object'],
      [{ on: 'true' }, 'on', '"true"'],
      [{ on: 0 }, 'on', '0'],
      [{ name: Object('x') }, 'name', 'an object'],
      [{ inner: true }, 'inner', 'true'],
      [{ inner: [] }, 'inner', 'a list'],
      [{ inner: new Map([['rate', 1]]) }, 'inner', 'a Map'],
      [{ inner: Promise.resolve({}) }, 'inner', 'a Promise'],
      [{ inner: { rate: 10 } }, 'inner.rate', '10'],
      [{ list: {} }, 'list', 'an object'],
      [{ list: 'x' }, 'list', '"x"'],
      [{ list: [{}, null] }, 'list[1]', 'null'],
      [{ list: [{}, undefined] }, 'list[1]', 'undefined'],
      [{ list: [{ rate: 2 }] }, 'list[0].rate', '2'],
      [{ byName: { 'a b': -1 } }, 'byName["a b"]', '-1'],
      [{ byName: [1] }, 'byName', 'a list'],
      [{ either: true }, 'either', 'true'],
      [{ either: { rate: -1 } }, 'either.rate', '-1'],
      [{ until: new Date(NaN) }, 'until', 'a Date'],
      [{ until: '2030-01-01' }, 'until', '"2030-01-01"'],
      [{ pattern: 'x' }, 'pattern', '"x"'],
      [{ call: {} }, 'call', 'an object'],
      [{ kind: 'c' }, 'kind', '"c"'],
      [{ kind: null }, 'kind', 'null'],
    ];
    for (const [options, path, given] of cases) {
      const refusal = refusalOf(valid(options));
      assert.ok(
        refusal.startsWith(`OPTIONS_BAD_VALUE The ${path} option of shop() is ${given}. It takes `),
        refusal,
      );
    }
    assert.match(
      refusalOf({ size: 1 }),
      /^OPTIONS_BAD_VALUE The name option of shop\(\) is missing\. It takes a string\./,
    );
    assert.match(refusalOf(undefined), /^OPTIONS_NOT_AN_OBJECT/);
    assert.match(
      refusalOf(valid({ byName: { a: 1.5 } })),
      /bytes, as a whole number of at least 0, or Infinity/,
    );
  });

  it('refuses an unknown name at any depth, with the nearest names', () => {
    for (const [options, message] of [
      [{ nam: 'x' }, 'shop() has no option "nam". Did you mean "name"?'],
      [{ toString: 1 }, 'shop() has no option "toString".'],
      [{ inner: { rates: 1 } }, 'shop(): inner has no option "rates". Did you mean "rate"?'],
      [{ list: [{}, { Rate: 1 }] }, 'shop(): list[1] has no option "Rate". Did you mean "rate"?'],
    ] as const)
      assert.ok(
        refusalOf(valid(options)).startsWith(`OPTIONS_UNKNOWN ${message}`),
        refusalOf(valid(options)),
      );
  });

  it('checks class getters, and inherited options', () => {
    class Own {
      get name(): string {
        return 'x';
      }
      get size(): string {
        return '10';
      }
      method(): void {}
    }
    class Misspelt {
      readonly name = 'x';
      get sise(): number {
        return 10;
      }
    }
    assert.match(refusalOf(new Own()), /^OPTIONS_BAD_VALUE The size option of shop\(\) is "10"\./);
    assert.match(
      refusalOf(new Misspelt()),
      /^OPTIONS_UNKNOWN shop\(\) has no option "sise"\. Did you mean "size"/,
    );
    assert.match(refusalOf(Object.create({ name: 'x', siz: 1 })), /^OPTIONS_UNKNOWN .*"siz"/);
    assert.match(refusalOf(Object.create({ name: 'x', size: 0 })), /^OPTIONS_BAD_VALUE The size/);
  });

  it('reports a throwing getter or proxy with a code, and its error as the cause', () => {
    const failing = (): never => {
      throw new Error('of the application');
    };
    const revoked = Proxy.revocable({}, {});
    revoked.revoke();
    for (const options of [
      Object.defineProperty({ name: 'x' }, 'size', { get: failing, enumerable: true }),
      { name: 'x', inner: Object.defineProperty({}, 'rate', { get: failing, enumerable: true }) },
      new Proxy({}, { ownKeys: failing }),
      new Proxy({ name: 'x' }, { get: failing }),
      { name: 'x', inner: new Proxy({}, { getPrototypeOf: failing }) },
    ])
      assert.throws(
        () => checkOptions('shop()', options, schema),
        (error: Error & { code?: string }) =>
          error.code === 'OPTIONS_UNREADABLE' && (error.cause as Error).message === 'of the application',
      );
    assert.match(refusalOf(revoked.proxy), /^OPTIONS_(?:UNREADABLE|NOT_AN_OBJECT)/);
    assert.match(
      refusalOf(valid({ list: revoked.proxy })),
      /^OPTIONS_(?:UNREADABLE|BAD_VALUE) The list option of shop\(\)/,
    );
  });

  it('refuses anything but an object, and shows no secret', () => {
    for (const options of [null, [], 'x', 1, true, () => 1, new Map(), Promise.resolve({})])
      assert.match(
        refusalOf(options),
        /^OPTIONS_NOT_AN_OBJECT The options of shop\(\) must be an object, but/,
      );
    const refusal = refusalOf(valid({ inner: { secret: 's3cr3t' } }));
    assert.match(
      refusal,
      /The inner\.secret option of shop\(\) is a secret \(not shown\)\. It takes a string of at least 8/,
    );
    assert.doesNotMatch(refusal, /s3cr3t/);
  });

  it('does not compile with a missing, surplus or wrong option type', () => {
    const { types } = innerSchema;
    // @ts-expect-error -- `secret` is missing
    optionsSchema<Inner>({ rate: types.rate });
    // @ts-expect-error -- there is no option of this name
    optionsSchema<Inner>({ ...types, other: text });
    // @ts-expect-error -- `rate` is a number
    optionsSchema<Inner>({ ...types, rate: text });
    // @ts-expect-error -- `name` must be given
    optionsSchema<Pick<Options, 'name'>>({ name: text });
    // @ts-expect-error -- the option also takes "b"
    optionsSchema<Pick<Options, 'kind'>>({ kind: oneOf('a') });
  });
});

describe('readOptions', () => {
  it('returns a copy with the defaults, which cannot change later', () => {
    const given: object = { secret: '12345678', rate: undefined };
    assert.deepEqual(readOptions('x', given, innerSchema), { rate: 1, secret: '12345678' });
    assert.deepEqual(readOptions('x', undefined, innerSchema), { rate: 1 });
    const options = { name: 'x', list: [{ rate: 0.5 }], byName: { a: 1 } };
    const read = readOptions('x', options, schema);
    options.list.push({ rate: 10 });
    options.byName.a = -1;
    assert.deepEqual(read, { name: 'x', list: [{ rate: 0.5 }], byName: { a: 1 } });
  });

  it("includes the values of a class's getters", () => {
    class Own {
      get rate(): number {
        return 0.5;
      }
    }
    assert.deepEqual(readOptions('x', new Own(), innerSchema), { rate: 0.5 });
  });
});
