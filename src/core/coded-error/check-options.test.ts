import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  anObject,
  anything,
  callable,
  checkOptions,
  eitherOf,
  flag,
  listOf,
  numberFrom,
  oneOf,
  type OptionKinds,
  text,
} from './check-options.js';
import { isCodedError } from './coded-error.js';

interface Options {
  readonly name?: string;
  readonly size?: number;
  readonly kinds?: readonly string[];
}

const kinds: OptionKinds<Options> = {
  name: text,
  size: numberFrom(1, { isWhole: true }),
  kinds: listOf(oneOf('a', 'b')),
};

function refusalOf(options: unknown): string {
  try {
    checkOptions('shop()', options as Options, kinds); // as: what JavaScript may pass
  } catch (error) {
    assert.ok(isCodedError(error));
    return `${error.code} ${error.message} ${error.fix ?? ''}`;
  }
  return 'taken';
}

describe('checkOptions', () => {
  it('takes values of their kinds, and options without a value', () => {
    for (const options of [
      undefined,
      {},
      { name: '' },
      { name: 'x', size: 1, kinds: ['a'] },
      { other: undefined },
    ])
      assert.equal(refusalOf(options), 'taken');
  });

  it('refuses a misspelt name, a wrong value and what is no object', () => {
    assert.match(
      refusalOf({ nam: 'x' }),
      /^OPTIONS_UNKNOWN shop\(\) has no option "nam"\. Did you mean "name"/,
    );
    assert.match(refusalOf({ toString: 1 }), /^OPTIONS_UNKNOWN/);
    assert.match(
      refusalOf({ size: '1' }),
      /^OPTIONS_VALUE The size of shop\(\) is the text "1"\. It takes a whole number from 1\./,
    );
    assert.match(refusalOf({ kinds: ['c'] }), /It takes a list, each one of "a", "b"\./);
    for (const options of [null, [], 'x', 1]) assert.match(refusalOf(options), /^OPTIONS_NOT_AN_OBJECT/);
  });

  it('does not compile without the kind of an option, or with one too many', () => {
    // @ts-expect-error -- `kinds` is missing
    const missing: OptionKinds<Options> = { name: text, size: flag };
    // @ts-expect-error -- there is no option of this name
    const surplus: OptionKinds<Options> = { ...kinds, other: text };
    assert.equal(Object.keys(missing).length + Object.keys(surplus).length, 6);
  });
});

describe('a kind of values', () => {
  it('has its values and no others', () => {
    const cases = [
      [text, ['', 'a'], [1, null, undefined, Object('a')]],
      [flag, [true, false], [0, 'true', null]],
      [callable, [() => 1, class {}], [{}, null]],
      [anObject, [{}, new Map(), new Date()], [null, [], 'x', () => 1]],
      [anything, [undefined, 1], []],
      [numberFrom(0), [0, 1.5], [-1, NaN, Infinity, '1', 1n]],
      [numberFrom(0, { most: 2, isWhole: true }), [0, 2], [0.5, 3]],
      [numberFrom(-Infinity, { most: Infinity }), [-Infinity, Infinity, -1], [NaN]],
      [oneOf('a', 1), ['a', 1], ['b', '1']],
      [listOf(text), [[], ['a']], ['a', [1], new Set(['a'])]],
      [eitherOf(text, flag), ['a', true], [1]],
    ] as const;
    for (const [kind, has, others] of cases) {
      for (const value of has) assert.equal(kind.has(value), true, `${kind.takes}: ${typeof value}`);
      for (const value of others) assert.equal(kind.has(value), false, `${kind.takes}: ${typeof value}`);
    }
  });
});
