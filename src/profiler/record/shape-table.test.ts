import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { PackReader } from './pack-reader.js';
import { PackWriter } from './pack-writer.js';
import { readPicture } from './picture-tape.js';
import type { ShapePart } from './shape-table.js';
import { SharedPicture } from './shared-picture.js';
import type { WordReader } from './word-reader.js';

const pictures = ['one', 'two'].map((text) => new SharedPicture({ type: 'object', text }));
const part: fc.Arbitrary<ShapePart> = fc.oneof(
  fc.constantFrom(null, '', 'word', 'other', '\ud800', ...pictures),
  fc.nat(),
);

function readPart(shape: WordReader, like: ShapePart): ShapePart {
  if (typeof like === 'number') return shape.number();
  if (!(like instanceof SharedPicture)) return shape.word();
  assert.equal(shape.number(), 1);
  const { text } = readPicture(shape);
  return pictures.find(({ picture }) => picture.text === text) ?? null;
}

describe('a table of shapes', () => {
  it('gives equal parts one number, others another, and each back', () => {
    const lists = fc.array(fc.array(part, { maxLength: 6 }), { maxLength: 60 });
    fc.assert(
      fc.property(lists, fc.nat(40), (shapes, distinct) => {
        const pack = new PackWriter();
        const all = [
          ...shapes,
          ...Array.from({ length: distinct }, (_, index) => [index, 'each']),
          ...shapes,
        ];
        for (const parts of all) {
          pack.begin();
          pack.shapes.begin();
          for (const one of parts) pack.shapes.add(one);
          pack.number(pack.shapes.end());
        }
        const reader = new PackReader(pack.seal());
        for (const [index, parts] of all.entries()) {
          reader.open(index);
          const shape = reader.shape(reader.number());
          assert.deepEqual(
            parts.map((one) => readPart(shape, one)),
            parts,
          );
        }
      }),
    );
  });

  it('writes a shape once, however often it comes and what comes between', () => {
    const pack = new PackWriter();
    const numbers: number[] = [];
    for (let round = 0; round < 100; round++) {
      for (let shape = 0; shape < 30; shape++) {
        pack.shapes.begin();
        pack.shapes.add(`route ${shape}`);
        numbers.push(pack.shapes.end());
        assert.equal(pack.shapes.isNew, round === 0);
      }
    }
    assert.deepEqual(new Set(numbers).size, 30);
    assert.deepEqual(numbers.slice(0, 30), numbers.slice(-30));
  });
});
