import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isCodedError } from './coded-error.js';
import {
  editDistance,
  optionNames,
  refuseUnknownOptions,
  type OptionNames,
} from './refuse-unknown-options.js';

interface Cookie {
  readonly name?: string;
  readonly sameSite?: 'lax' | 'strict';
}

interface Options {
  readonly origins?: readonly string[] | (() => boolean);
  readonly maxAge?: number;
  readonly cookie?: Cookie | false;
  readonly rules?: readonly Cookie[];
}

const cookieNames: OptionNames<Cookie> = optionNames('name sameSite');
const names: OptionNames<Options> = optionNames('origins maxAge', {
  cookie: cookieNames,
  rules: cookieNames,
});

/** The message and the fix with which options are refused. */
function refusalOf(options: unknown): string {
  try {
    refuseUnknownOptions('shop()', options as Options, names); // as: what JavaScript may pass
  } catch (error) {
    assert.ok(isCodedError(error));
    return `${error.code} ${error.message} ${error.fix ?? ''}`;
  }
  return 'taken';
}

describe('refuseUnknownOptions', () => {
  it('takes options with known names, undefined and an option without a value', () => {
    for (const options of [undefined, {}, { maxAge: 1, cookie: false }, { origin: undefined }, { rules: [] }])
      assert.equal(refusalOf(options), 'taken');
  });

  it('refuses a misspelt option with the nearest name and the names of all options', () => {
    assert.equal(
      refusalOf({ origin: ['https://a.example'] }),
      'OPTIONS_UNKNOWN shop() has no option "origin". Did you mean "origins"? ' +
        'Correct or remove it. The options are: origins, maxAge, cookie, rules.',
    );
  });

  it('refuses an option that is like no other without a proposal', () => {
    assert.match(refusalOf({ toString: 1 }), /^OPTIONS_UNKNOWN shop\(\) has no option "toString"\. Correct/);
  });

  it('refuses a misspelt option in an object and in a list of objects with its place', () => {
    assert.match(refusalOf({ cookie: { samesite: 'lax' } }), /shop\(\): cookie has no option "samesite"/);
    assert.match(
      refusalOf({ rules: [{}, { nam: 'x' }] }),
      /rules\[1\] has no option "nam"\. Did you mean "name"/,
    );
  });

  it('refuses a text, a list and null in place of an object', () => {
    for (const [given, said] of [
      ['*', 'a string'],
      [['*'], 'a list'],
      [null, 'null'],
    ] as const)
      assert.match(refusalOf(given), new RegExp(`OPTIONS_NOT_AN_OBJECT .* but ${said} was passed`));
  });

  it('refuses a text, a number and null in place of the options of an option, where true may stand', () => {
    for (const [given, said] of [
      ['lax', 'a string'],
      [NaN, 'a number'],
      [1n, 'a bigint'],
      [null, 'null'],
    ] as const)
      assert.match(
        refusalOf({ cookie: given }),
        new RegExp(`OPTIONS_NOT_AN_OBJECT .* shop\\(\\): cookie must be an object, but ${said} was passed`),
      );
    for (const given of [true, false, () => 1, undefined])
      assert.equal(refusalOf({ cookie: given }), refusalOf({}));
  });

  it('does not compile with the name of an option missing or too many', () => {
    // @ts-expect-error -- maxAge, cookie and rules are missing
    const missing: OptionNames<Options> = optionNames('origins');
    // @ts-expect-error -- there is no option of this name
    const surplus: OptionNames<Cookie> = optionNames('name sameSite secure');
    assert.equal(Object.keys(missing).length + Object.keys(surplus).length, 4);
  });
});

describe('the edit distance', () => {
  /** By its definition: the least of what each way to begin costs. */
  function distance(from: string, to: string): number {
    if (from === '' || to === '') return from.length + to.length;
    const ways = [
      distance(from.slice(1), to) + 1,
      distance(from, to.slice(1)) + 1,
      distance(from.slice(1), to.slice(1)) + (from[0] === to[0] ? 0 : 1),
    ];
    if (from.length > 1 && from[0] === to[1] && from[1] === to[0])
      ways.push(distance(from.slice(2), to.slice(2)) + 1);
    return Math.min(...ways);
  }

  it('is the number of insertions, deletions, substitutions and swaps of neighbours, up to its limit', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 6 });
    fc.assert(
      fc.property(text, text, fc.integer({ min: 0, max: 7 }), (from, to, limit) => {
        assert.equal(editDistance(from, to, limit), Math.min(distance(from, to), limit + 1));
      }),
      { examples: [['aaacc', 'aaccaa', 1]] },
    );
  });
});
