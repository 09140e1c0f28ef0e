import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ByteReader } from './byte-reader.js';
import { ByteWriter } from './byte-writer.js';

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
