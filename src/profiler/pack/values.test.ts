import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { dump } from '#dump';
import { PackReader } from './pack-reader.js';
import { PackWriter } from './pack-writer.js';
import { readTaken, readValue, writeTaken, writeTerms, writeValue } from './values.js';

describe('plain values as bytes', () => {
  const piece = (write: (out: PackWriter) => void): ReturnType<PackReader['open']> => {
    const out = new PackWriter();
    write(out);
    out.end();
    return new PackReader(out.seal()).open(0);
  };
  const kept = (value: unknown): unknown => readValue(piece((out) => writeValue(out, value)));

  it('of what JSON does not know are undefined', () => {
    for (const value of [() => 1, Symbol('s'), 10n]) assert.equal(kept(value), undefined);
    assert.deepEqual(kept([1, () => 1, 'a']), [1, undefined, 'a']);
  });

  it('deeper than 64 are null, and what is around them stays', () => {
    let deep: unknown = 'bottom';
    for (let depth = 0; depth < 70; depth++) deep = [deep];
    let read = kept({ deep, beside: 1 }) as { deep: unknown; beside: number }; // as it was made
    assert.equal(read.beside, 1);
    let depth = 0;
    let inner = read.deep;
    while (Array.isArray(inner)) {
      inner = inner[0];
      depth++;
    }
    assert.deepEqual([inner, depth], [null, 64]);
    let fits: unknown = 'bottom';
    for (let count = 0; count < 64; count++) fits = [fits];
    assert.deepEqual(kept(fits), fits);
    read = kept({ deep: 1, beside: 2 }) as typeof read; // as it was made
    assert.equal(read.beside, 2);
  });

  it('nested without end in damaged bytes are refused', () => {
    const from = piece((out) => {
      for (let depth = 0; depth < 100; depth++) {
        out.number(9); // a list
        out.number(1); // of one
      }
      for (let count = 0; count < 200; count++) out.number(0);
    });
    assert.throws(() => readValue(from), { name: 'RangeError', message: 'A value is too deep.' });
  });

  it('with an unknown tag are refused', () => {
    for (const tag of [11, 12, 500]) {
      const from = piece((out) => {
        out.number(tag);
        out.number(0);
      });
      assert.throws(() => readValue(from), { name: 'RangeError', message: 'A value is damaged.' });
    }
  });

  it('keep a key `__proto__` as a key', () => {
    const value = JSON.parse('{"__proto__":{"admin":true},"constructor":1}') as object; // plain data
    const read = kept(value) as object; // what was written
    assert.deepEqual(Object.keys(read), ['__proto__', 'constructor']);
    assert.equal(Object.getPrototypeOf(read), Object.prototype);
    assert.equal((read as { admin?: boolean }).admin, undefined);
  });

  it('as terms are words up to 200 characters, and texts beyond', () => {
    const once = piece((out) => writeTerms(out, ['a'.repeat(200)])).left;
    const twice = piece((out) => writeTerms(out, ['a'.repeat(200), 'a'.repeat(200)])).left;
    assert.equal(twice, once + 2);
    const long = ['b'.repeat(201), 'b'.repeat(201)];
    assert.deepEqual(readValue(piece((out) => writeTerms(out, long))), long);
  });

  it('that were taken as a list cannot be: the piece is damaged', () => {
    const from = piece((out) => {
      out.number(9);
      out.number(0);
    });
    assert.throws(() => readTaken(from), { name: 'RangeError', message: 'A picture is damaged.' });
  });

  it('that were taken are told apart: -0 from 0, a text from a number', () => {
    const pictures = ['-0', '0', '1', "'1'"].map((text) => text);
    const taken = [-0, 0, 1, '1'].map((value) => readTaken(piece((out) => writeTaken(out, value))));
    assert.deepEqual(
      taken.map(({ type, text }) => (type === 'string' ? `'${text}'` : text)),
      pictures,
    );
  });

  it('that end anywhere give a RangeError', () => {
    const picture = {
      type: 'map',
      text: 'Map',
      length: 2,
      more: 1,
      cut: 'size',
      id: 4,
      entries: [
        {
          key: 'a',
          kind: 'key',
          keyPicture: { type: 'string', text: 'a' },
          value: { type: 'null', text: 'null' },
        },
        { key: '1', kind: 'index', value: { type: 'reference', id: 4 } },
      ],
    } as const;
    const out = new PackWriter();
    writeTaken(out, picture);
    out.end();
    const whole = out.seal();
    assert.deepEqual(readTaken(new PackReader(whole).open(0)), picture);
    for (let end = 0; end < whole.length; end++)
      assert.throws(
        () => readTaken(new PackReader(whole.subarray(0, end)).open(0)),
        RangeError,
        `cut at ${end}`,
      );
  });
});

describe('values', () => {
  const written = (write: (out: PackWriter) => void): ReturnType<PackReader['open']> => {
    const out = new PackWriter();
    write(out);
    out.end();
    return new PackReader(out.seal()).open(0);
  };

  it('come back as they were, as texts or as words', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        assert.deepEqual(readValue(written((out) => writeValue(out, value))), value);
        assert.deepEqual(readValue(written((out) => writeTerms(out, value))), value);
      }),
    );
    for (const value of [undefined, Number.NaN, -0, 1.5, -7, Number.MAX_SAFE_INTEGER, 1e300])
      assert.ok(Object.is(readValue(written((out) => writeValue(out, value))), value));
  });

  it('that were taken come back as their pictures', () => {
    fc.assert(
      fc.property(fc.anything({ maxDepth: 3 }), (value) => {
        const picture = dump(value);
        assert.deepEqual(readTaken(written((out) => writeTaken(out, picture))), picture);
      }),
    );
    for (const value of ['text', 3, -0, true, null, undefined])
      assert.deepEqual(readTaken(written((out) => writeTaken(out, value))), dump(value));
  });
});
