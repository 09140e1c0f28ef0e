import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isToken } from '../../find/is-token.js';
import type { Lease } from '../../model/profile-store.js';
import { createTokenCodec, randomKey } from './token-codec.js';
import { TokenSource } from './token-source.js';

describe('tokens', () => {
  it('P5: the 2^24 tokens of six digits are all distinct', () => {
    const { tokenOf } = createTokenCodec('any secret');
    const seen = new Uint8Array(2 ** 24);
    for (let key = 0; key < 2 ** 24; key += 1) {
      const value = Number.parseInt(tokenOf(key), 16);
      if (seen[value] === 1) assert.fail(`${value} twice`);
      seen[value] = 1;
    }
  });

  it('P4, P5: every number has a token of its own width, and every token leads back', () => {
    const codec = createTokenCodec('secret');
    const key = fc.oneof(
      fc.nat(2 ** 24 - 1),
      fc.integer({ min: 2 ** 24, max: 2 ** 24 + 2 ** 32 - 1 }),
      fc.integer({ min: 2 ** 24 + 2 ** 32, max: 2 ** 24 + 2 ** 32 + 2 ** 40 - 1 }),
      fc.integer({ min: -(2 ** 48), max: -1 }),
      fc.constantFrom(0, 2 ** 24 - 1, 2 ** 24, 2 ** 24 + 2 ** 32 - 1, 2 ** 24 + 2 ** 32, -1, -(2 ** 48)),
    );
    fc.assert(
      fc.property(key, (number) => {
        const token = codec.tokenOf(number);
        assert.ok(isToken(token));
        assert.equal(
          token.length,
          number < 0 ? 12 : number < 2 ** 24 ? 6 : number < 2 ** 24 + 2 ** 32 ? 8 : 10,
        );
        assert.equal(codec.keyOf(token), number);
      }),
      { numRuns: 2000 },
    );
  });

  it('numbers in a row give tokens in no order, and another secret gives others', () => {
    const [one, other] = [createTokenCodec('one'), createTokenCodec('other')];
    const tokens = Array.from({ length: 1000 }, (_, key) => one.tokenOf(key));
    const rising = tokens.filter((token, at) => at > 0 && token > (tokens[at - 1] ?? '')).length;
    assert.ok(rising > 400 && rising < 600, `${rising} of 999 rise`);
    assert.ok(tokens.filter((token, key) => token === other.tokenOf(key)).length < 5);
  });

  it('only six to thirty-two lowercase hexadecimal digits are a token', () => {
    for (const text of ['abcdef', '0123456789abcdef0123456789abcdef']) assert.ok(isToken(text));
    for (const text of ['ABCDEF', 'abcde', 'abcdeg', 'abcdef\n', '', '0'.repeat(33), '../abc', 'abcdef/'])
      assert.equal(isToken(text), false, text);
    assert.equal(createTokenCodec('x').keyOf('abcdef0'), undefined);
  });

  it('random ones are negative and told apart from leased ones', () => {
    const keys = Array.from({ length: 500 }, randomKey);
    assert.ok(keys.every((key) => key < 0 && key >= -(2 ** 48)));
    assert.equal(new Set(keys).size, 500);
  });
});

describe('TokenSource', () => {
  it('gives no number twice over many leases, and orders the next before the last is used up', () => {
    let next = 0;
    let asked = 0;
    const source = new TokenSource(
      (amount): Lease => {
        asked++;
        const from = next;
        next += amount + 3; // someone else leases in between
        return { secret: 's', from, to: from + amount };
      },
      () => {},
    );
    const keys = Array.from({ length: 10_000 }, () => source.next().key);
    assert.equal(new Set(keys).size, keys.length);
    assert.ok(keys.every((key) => key >= 0));
    assert.ok(asked > 1 && asked < 12, `${asked} leases`);
  });

  it('gives random numbers while there is no lease, and leased ones once there is', async () => {
    let give: ((lease: Lease) => void) | undefined;
    const source = new TokenSource(
      () =>
        new Promise((resolve) => {
          give = resolve;
        }),
      () => {},
    );
    assert.ok(source.next().key < 0);
    give?.({ secret: 's', from: 5, to: 300 });
    await Promise.resolve();
    await Promise.resolve();
    assert.equal(source.next().key, 5);
  });

  it('reports a store that gives none, and goes on', () => {
    const told: unknown[] = [];
    const source = new TokenSource(
      () => {
        throw new Error('no store');
      },
      (error) => told.push(error),
    );
    const begun = Date.now();
    const keys = Array.from({ length: 1000 }, () => source.next().key);
    assert.ok(keys.every((key) => key < 0));
    // At once, and then four times a second at the most.
    assert.ok(told.length >= 1 && told.length - 1 <= (Date.now() - begun) / 250, `${told.length} reports`);
  });
});

describe('tokens', () => {
  const widths = [
    [0, 2 ** 24, 6],
    [2 ** 24, 2 ** 24 + 2 ** 32, 8],
    [2 ** 24 + 2 ** 32, 2 ** 24 + 2 ** 32 + 2 ** 40, 10],
  ] as const;

  it('lead back to their numbers, under any secret, also at the edges of each width', () => {
    const key = fc.oneof(
      ...widths.map(([from, to]) => fc.integer({ min: from, max: to - 1 })),
      fc.constantFrom(...widths.flatMap(([from, to]) => [from, from + 1, to - 1])),
    );
    fc.assert(
      fc.property(fc.string(), fc.array(key, { minLength: 1, maxLength: 20 }), (secret, keys) => {
        const { tokenOf, keyOf } = createTokenCodec(secret);
        for (const one of keys) {
          const token = tokenOf(one);
          const [, , digits] = widths.find(([from, to]) => one >= from && one < to) ?? [];
          assert.match(token, /^[0-9a-f]+$/);
          assert.equal(token.length, digits);
          assert.equal(keyOf(token), one);
        }
        assert.equal(new Set(keys.map(tokenOf)).size, new Set(keys).size);
      }),
      { numRuns: 5 },
    );
  });

  it('of random keys have twelve digits and no secret', () => {
    for (let count = 0; count < 200; count++) {
      const key = randomKey();
      const token = createTokenCodec('a').tokenOf(key);
      assert.ok(key < 0 && Number.isSafeInteger(key));
      assert.match(token, /^[0-9a-f]{12}$/);
      assert.equal(createTokenCodec('b').keyOf(token), key);
    }
  });

  it('of another length are none', () => {
    const { keyOf } = createTokenCodec('a');
    for (const token of ['', 'abc', 'abcde', 'abcdef0', 'abcdef012', 'abcdef01234', 'abcdef0123456'])
      assert.equal(keyOf(token), undefined, token);
  });
});
