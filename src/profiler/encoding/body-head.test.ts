import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { BodyHead } from './body-head.js';

/** Includes lone surrogates; generated faster than by the library's own unit. */
const anyCharacter = fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code));

const anyText = fc.string({ unit: anyCharacter, maxLength: 20 });

describe('the beginning of a body', () => {
  const chunk = fc.oneof(anyText, fc.uint8Array({ maxLength: 20 }));

  it('counts every byte, and keeps no more than the limit', () => {
    fc.assert(
      fc.property(fc.array(chunk, { maxLength: 8 }), fc.nat(60), (chunks, limit) => {
        const head = new BodyHead(limit);
        for (const one of chunks) head.add(one);
        const whole = Buffer.concat(chunks.map((one) => Buffer.from(one as string))); // may be bytes as well
        const kept = head.content();
        assert.equal(head.bytes, whole.length);
        if (chunks.every((one) => typeof one === 'string')) {
          assert.ok(typeof kept === 'string' && kept.length <= limit);
          assert.ok(chunks.join('').startsWith(kept));
        } else if (whole.length <= limit) assert.deepEqual(Buffer.from(kept as Uint8Array), whole); // not all were texts
        if (chunks.every((one) => typeof one !== 'string') && chunks.length > 0)
          assert.deepEqual(Buffer.from(kept as Uint8Array), whole.subarray(0, limit)); // none was a text
      }),
    );
  });

  it('is a copy, since the sender may reuse its buffer', () => {
    const bytes = Buffer.from('secret? no: fine');
    const head = new BodyHead(100);
    head.add(bytes);
    bytes.fill('x');
    assert.equal(Buffer.from(head.content() as Uint8Array).toString(), 'secret? no: fine'); // bytes were given
  });

  it('is an empty text if no chunk arrived', () => {
    assert.equal(new BodyHead(10).content(), '');
  });
});
