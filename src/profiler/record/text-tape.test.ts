import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { TextTape } from './text-tape.js';

const piece = fc.oneof(
  fc.string({ maxLength: 300 }),
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc.constantFrom('', 'a', 'é', '\ud800', 'x'.repeat(5000), `${'x'.repeat(3000)}é`),
);

describe('a tape of texts', () => {
  it('holds what was added, as bytes exactly where all of it is ASCII', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const tape = new TextTape();
        for (const text of pieces) tape.add(text);
        const whole = pieces.join('');
        assert.equal(tape.text, whole);
        assert.equal(tape.length, whole.length);
        // oxlint-disable-next-line no-control-regex -- the range is ASCII
        const isAscii = /^[\0-\x7f]*$/.test(whole);
        assert.equal(
          tape.ascii === undefined ? undefined : Buffer.from(tape.ascii).toString(),
          isAscii ? whole : undefined,
        );
      }),
      { numRuns: 500 },
    );
  });

  it('takes back what was added last, whichever way it is kept', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 5 }), piece, piece, (kept, undone, more) => {
        const tape = new TextTape();
        for (const text of kept) tape.add(text);
        const { length } = tape;
        tape.add(undone);
        tape.rewind(length);
        tape.add(more);
        assert.equal(tape.text, kept.join('') + more);
      }),
      { numRuns: 500 },
    );
  });
});
