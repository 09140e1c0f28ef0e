import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { PackReader } from './pack-reader.js';
import { PackWriter } from './pack-writer.js';

describe('the pieces of a pack', () => {
  it('can be read while the writer goes on', () => {
    const out = new PackWriter();
    out.text('first');
    out.end();
    const early = new PackReader(out.seal());
    out.text('second');
    const unfinished = new PackReader(out.seal());
    out.end();
    const late = new PackReader(out.seal());
    assert.deepEqual([early.count, unfinished.count, late.count], [1, 1, 2]);
    assert.deepEqual(
      [early.open(0).text(), late.open(0).text(), late.open(1).text()],
      ['first', 'first', 'second'],
    );
    assert.throws(() => early.open(1), /There is no piece 1 in the pack/);
    assert.throws(() => late.open(-1), RangeError);
  });

  it('with a broken surrogate are whole, and so are those around', () => {
    const texts = ['plain', 'broken \ud83d', 'é', '\udc00', 'end'];
    const out = new PackWriter();
    for (const text of texts) {
      out.text(text);
      out.number(5);
      out.end();
    }
    const pack = new PackReader(out.seal());
    for (const [at, text] of texts.entries()) {
      const from = pack.open(at);
      assert.deepEqual([from.text(), from.number(), from.left], [text, 5, 0]);
    }
  });

  it('do not let a text reach beyond its piece', () => {
    const out = new PackWriter();
    out.number(6); // a text of six characters, of which there are none
    out.end();
    out.text('secret of the next');
    out.end();
    const from = new PackReader(out.seal()).open(0);
    assert.throws(() => from.text(), { name: 'RangeError', message: 'The text ends early.' });
  });

  it('have the length that is announced while they are written', () => {
    const out = new PackWriter();
    assert.equal(out.length, 0);
    out.text('abc');
    assert.equal(out.length, 4);
    out.undo();
    assert.equal(out.length, 0);
  });

  it('hold signed numbers as small as unsigned ones', () => {
    const size = (value: number): number => {
      const out = new PackWriter();
      out.signed(value);
      return out.length;
    };
    assert.deepEqual([size(0), size(-1), size(63), size(-64), size(64), size(-65)], [1, 1, 1, 1, 2, 2]);
  });
});

/** Halves of surrogate pairs among them; made faster than the library's own unit. */
const anyCharacter = fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code));

/** Any text at all, halves of surrogate pairs included. */
const anyText = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 80 }),
  fc.constantFrom('', '\0', '\ud800', 'a\udfff', '😀', '__proto__', 'é'.repeat(60)),
);

const step = fc.oneof(
  fc.record({ kind: fc.constant('number' as const), value: fc.maxSafeNat() }),
  fc.record({ kind: fc.constant('signed' as const), value: fc.integer() }),
  fc.record({ kind: fc.constant('double' as const), value: fc.double() }),
  fc.record({ kind: fc.constant('text' as const), value: anyText }),
  fc.record({ kind: fc.constant('word' as const), value: fc.option(anyText) }),
  fc.record({ kind: fc.constant('ownWord' as const), value: anyText }),
);

type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

function write(out: PackWriter, { kind, value }: Step): void {
  if (kind === 'word') out.word(value);
  else if (kind === 'text') out.text(value);
  else if (kind === 'ownWord') out.ownWord(value);
  else out[kind](value);
}

function packOf(pieces: readonly (readonly Step[])[]): Uint8Array {
  const out = new PackWriter();
  for (const piece of pieces) {
    for (const one of piece) write(out, one);
    out.end();
  }
  return out.seal();
}

describe('a pack', () => {
  it('gives back whatever was written to it, each piece without the others', () => {
    fc.assert(
      fc.property(fc.array(fc.array(step, { maxLength: 12 }), { maxLength: 5 }), (pieces) => {
        const pack = new PackReader(packOf(pieces));
        assert.equal(pack.count, pieces.length);
        for (let index = pieces.length - 1; index >= 0; index--) {
          const from = pack.open(index);
          for (const { kind, value } of pieces[index] ?? [])
            assert.deepEqual(from[kind === 'ownWord' ? 'word' : kind](), value);
        }
      }),
    );
  });

  it('forgets a piece that was undone and what was rewound, and nothing else', () => {
    const out = new PackWriter();
    out.text('lost');
    out.undo();
    out.word('kept');
    const mark = out.mark();
    out.text('lost \ud800');
    out.number(7);
    out.rewind(mark);
    out.text('too');
    out.end();
    const from = new PackReader(out.seal()).open(0);
    assert.deepEqual([from.word(), from.text()], ['kept', 'too']);
    assert.throws(() => from.number(), RangeError);
  });

  it('has each word once, however often it is written', () => {
    const once = packOf([[{ kind: 'word', value: 'a long name of a route' }]]).length;
    const often = packOf([
      Array.from({ length: 100 }, () => ({ kind: 'word', value: 'a long name of a route' }) as const),
    ]);
    assert.ok(often.length <= once + 100);
  });

  it('that was cut off or changed ends in a RangeError or in other values, never in a loop', () => {
    const damage = fc.record({ at: fc.nat(), bit: fc.nat(7), cut: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), damage, (piece, { at, bit, cut }) => {
        const bytes = packOf([piece]);
        const place = at % bytes.length;
        const damaged = cut ? bytes.slice(0, place) : Uint8Array.from(bytes);
        if (!cut) damaged[place] = (damaged[place] ?? 0) ^ (1 << bit);
        try {
          const from = new PackReader(damaged).open(0);
          for (const { kind } of piece) from[kind === 'ownWord' ? 'word' : kind]();
        } catch (error) {
          assert.ok(error instanceof RangeError, String(error));
        }
      }),
      { numRuns: 500 },
    );
  });
});
