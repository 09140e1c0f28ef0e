import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { PackReader } from './pack-reader.js';
import { PackWriter } from './pack-writer.js';

describe('a pack of records', () => {
  it('has each record that was not taken back, in memory that others had before', () => {
    const record = fc.record({
      numbers: fc.array(fc.maxSafeNat(), { maxLength: 20 }),
      text: fc.string({ maxLength: 200 }),
      isTakenBack: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(record, { maxLength: 60 }), (records) => {
        const pack = new PackWriter();
        for (const { numbers, text, isTakenBack } of records) {
          pack.begin();
          for (const number of numbers) pack.number(number);
          pack.string(text);
          if (isTakenBack) pack.undo();
        }
        const reader = new PackReader(pack.seal());
        pack.release();
        const kept = records.filter(({ isTakenBack }) => !isTakenBack);
        for (const [index, { numbers, text }] of kept.entries()) {
          reader.open(index);
          assert.deepEqual(
            numbers.map(() => reader.number()),
            numbers,
          );
          assert.equal(reader.string(), text);
        }
      }),
    );
  });
});
