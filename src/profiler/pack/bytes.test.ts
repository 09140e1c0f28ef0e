import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ByteReader } from './byte-reader.js';
import { ByteWriter } from './byte-writer.js';
import { PackReader } from './pack-reader.js';
import { PackWriter, wordCode } from './pack-writer.js';
import { readTaken, readValue, writeTaken, writeTerms, writeValue } from './values.js';

/** The bytes of one number. */
function bytesOf(value: number): number[] {
  const out = new ByteWriter(0);
  out.number(value);
  return [...out.bytes];
}

describe('a number as bytes', () => {
  it('has seven bits in each byte, the lowest first', () => {
    assert.deepEqual(bytesOf(0), [0]);
    assert.deepEqual(bytesOf(127), [127]);
    assert.deepEqual(bytesOf(128), [128, 1]);
    assert.deepEqual(bytesOf(300), [172, 2]);
    assert.deepEqual(bytesOf(2 ** 31 - 1), [255, 255, 255, 255, 7]);
    assert.deepEqual(bytesOf(2 ** 31), [128, 128, 128, 128, 8]);
    assert.deepEqual(bytesOf(2 ** 32), [128, 128, 128, 128, 16]);
    assert.deepEqual(bytesOf(Number.MAX_SAFE_INTEGER), [255, 255, 255, 255, 255, 255, 255, 15]);
  });

  it('comes back on both sides of each power of two', () => {
    for (let power = 0; power <= 53; power++)
      for (const step of [-1, 0, 1]) {
        const value = 2 ** power + step;
        if (value > Number.MAX_SAFE_INTEGER) continue;
        assert.equal(new ByteReader(Uint8Array.from(bytesOf(value))).number(), value);
      }
  });

  it('that is none from 0 to 2^53 − 1 is 0', () => {
    for (const value of [-1, Number.NaN, Infinity, -Infinity, 2 ** 53, 1e300, Number(undefined)])
      assert.deepEqual(bytesOf(value), [0], String(value));
  });

  it('longer than eight bytes, or without its last byte, is refused', () => {
    const endless = new ByteReader(new Uint8Array(20).fill(255));
    assert.throws(() => endless.number(), { name: 'RangeError', message: 'A number is too long.' });
    for (const bytes of [[], [128], [255, 255]])
      assert.throws(() => new ByteReader(Uint8Array.from(bytes)).number(), /The bytes end early/);
  });

  it('that announces more than follows is refused before anything is made of it', () => {
    const from = new ByteReader(Uint8Array.from([3, 1, 1]));
    assert.throws(() => from.count(), /More is announced than there is/);
    const enough = new ByteReader(Uint8Array.from([2, 1, 1]));
    assert.deepEqual([enough.count(), enough.left], [2, 2]);
  });
});

describe('a writer of bytes', () => {
  it('grows from nothing, and has what was written before in front', () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 20 }),
        fc.nat(64),
        (parts, room) => {
          const out = new ByteWriter(room);
          for (const part of parts) out.append(part);
          assert.deepEqual(Buffer.from(out.bytes), Buffer.concat(parts));
          assert.equal(out.length, out.bytes.length);
        },
      ),
    );
  });

  it('doubles its memory: a number after each double does not write beyond it', () => {
    const out = new ByteWriter(1);
    for (let count = 0; count < 1000; count++) {
      out.double(count + 0.5);
      out.number(count);
    }
    const from = new ByteReader(out.bytes);
    for (let count = 0; count < 1000; count++)
      assert.deepEqual([from.double(), from.number()], [count + 0.5, count]);
    assert.equal(from.left, 0);
  });

  it('forgets what stands behind a place, and never makes more of it than there was', () => {
    const out = new ByteWriter(4);
    out.append(Uint8Array.from([1, 2, 3]));
    out.rewind(10);
    assert.equal(out.length, 3);
    out.rewind(1);
    out.number(9);
    assert.deepEqual([...out.bytes], [1, 9]);
  });

  it('says of a text how many bytes it has, and whether it is UTF-16', () => {
    const sizes = { '': 0, abc: 6, é: 4, '😀': 8, '\ud800': 5, 'a\udfff': 9 };
    for (const [text, size] of Object.entries(sizes)) {
      const out = new ByteWriter(0);
      assert.equal(out.text(text), size, JSON.stringify(text));
      const encoding = size % 2 === 1 ? 'utf16le' : 'utf8';
      assert.equal(Buffer.from(out.bytes).toString(encoding), text);
    }
  });
});

describe('a double', () => {
  it('comes back bit by bit', () => {
    for (const value of [
      0,
      -0,
      0.1,
      -1.5,
      Number.MIN_VALUE,
      Number.MAX_VALUE,
      Infinity,
      -Infinity,
      Number.NaN,
    ]) {
      const out = new ByteWriter(0);
      out.double(value);
      assert.ok(Object.is(new ByteReader(out.bytes).double(), value), String(value));
    }
  });

  it('is read where it stands in a larger buffer', () => {
    const larger = Buffer.alloc(32);
    larger.writeDoubleLE(12.75, 11);
    assert.equal(new ByteReader(larger.subarray(11, 19)).double(), 12.75);
    assert.throws(() => new ByteReader(larger.subarray(11, 18)).double(), RangeError);
  });
});

describe('the dictionary of a pack', () => {
  const sealed = (write: (out: PackWriter) => void): PackReader => {
    const out = new PackWriter();
    write(out);
    out.end();
    return new PackReader(out.seal());
  };

  it('has 4,000 words; those after stand in the piece', () => {
    const words = Array.from({ length: 4005 }, (_, at) => `word ${at}`);
    const from = sealed((out) => {
      for (const word of words) out.word(word);
    }).open(0);
    const codes = sealed((out) => {
      for (const word of words) out.word(word);
    }).open(0);
    for (const word of words) assert.equal(from.word(), word);
    for (let at = 0; at < 4000; at++) assert.equal(codes.number(), at + wordCode.first);
    assert.equal(codes.number(), wordCode.own);
  });

  it('has no word of more than 1,000 characters: it is written each time', () => {
    const [fits, long] = ['x'.repeat(1000), 'y'.repeat(1001)];
    const from = sealed((out) => {
      out.word(fits);
      out.word(long);
      out.word(fits);
    }).open(0);
    assert.deepEqual([from.number(), from.number(), from.text()], [wordCode.first, wordCode.own, long]);
    assert.equal(from.number(), wordCode.first);
  });

  it('knows a numbered word by its number, and asks for its text once', () => {
    let asked = 0;
    const wordOf = (number: number): string => {
      asked++;
      return number === 7 ? 'z'.repeat(1500) : `kind ${number}`;
    };
    const from = sealed((out) => {
      for (const number of [3, 3, 5, 3]) out.numberedWord(number, wordOf);
      assert.equal(asked, 2);
      out.numberedWord(7, wordOf);
      out.numberedWord(7, wordOf);
      out.word('kind 3');
    }).open(0);
    const read = Array.from({ length: 7 }, () => from.word());
    assert.deepEqual(
      read.map((word) => word?.slice(0, 6)),
      ['kind 3', 'kind 3', 'kind 5', 'kind 3', 'zzzzzz', 'zzzzzz', 'kind 3'],
    );
  });

  it('tells nothing apart from an empty word', () => {
    const from = sealed((out) => {
      out.word(null);
      out.word('');
      out.ownWord('');
    }).open(0);
    assert.deepEqual([from.word(), from.word(), from.word()], [null, '', '']);
  });

  it('that lacks a word a piece names is damaged', () => {
    const from = sealed((out) => out.number(wordCode.first + 40)).open(0);
    assert.throws(() => from.word(), { name: 'RangeError', message: 'A word is not in the dictionary.' });
  });
});

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

describe('names of header fields', () => {
  it('are one word where no name holds a line break, else JSON', () => {
    const out = new PackWriter();
    out.names(['Host', 'a', 'Accept', 'b']);
    out.names(['Host', 'other', 'Accept', 'values']);
    out.names(['X-A\nX-B', '1']);
    out.names([]);
    out.end();
    const from = new PackReader(out.seal()).open(0);
    const read = (): [number, string | null] => [from.number(), from.word()];
    assert.deepEqual(read(), [0, 'Host\nAccept\n']);
    assert.deepEqual(read(), [0, 'Host\nAccept\n']);
    assert.deepEqual(read(), [1, '["X-A\\nX-B"]']);
    assert.deepEqual(read(), [0, '']);
  });
});

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
