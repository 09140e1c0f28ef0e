import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { dump, type Picture } from '#dump';
import { PackReader } from './pack-reader.js';
import { PackWriter } from './pack-writer.js';
import { readPicture, weighPicture, writePicture } from './picture-tape.js';

function throughTape(pictures: readonly Picture[]): Picture[] {
  const pack = new PackWriter();
  pack.begin();
  for (const picture of pictures) writePicture(pack, picture);
  const reader = new PackReader(pack.seal());
  reader.open(0);
  return pictures.map(() => readPicture(reader));
}

describe('pictures on the tape', () => {
  it('come back as they were, whatever they show', () => {
    const anything = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withTypedArray: true,
      withNullPrototype: true,
      withSparseArray: true,
      withUnicodeString: true,
    });
    fc.assert(
      fc.property(fc.array(anything, { maxLength: 4 }), fc.nat(5), (values, depth) => {
        const pictures = values.map((value) => dump(value, { depth, entries: 5, text: 10, bytes: 2000 }));
        assert.deepEqual(throughTape(pictures), pictures);
      }),
      { numRuns: 300 },
    );
  });

  it('come back with everything that a bound or a rule took away', () => {
    const twice = { v: 1 };
    const values = [
      { password: 'x', getter: undefined, again: [twice, twice] },
      Object.defineProperty({}, 'now', { get: () => 1, enumerable: true }),
      new Map<unknown, unknown>([[{ a: 1 }, 'x'.repeat(3000)]]),
      { ['long key '.repeat(20)]: new Error('x'), [Symbol('s')]: new Proxy({}, {}) },
      Array.from({ length: 500 }, () => () => 1),
    ];
    const pictures = values.map((value) => dump(value));
    assert.deepEqual(throughTape(pictures), pictures);
  });

  it('weigh no less than they have as JSON', () => {
    fc.assert(
      fc.property(fc.object(), (value) => {
        const picture = dump(value);
        assert.ok(weighPicture(picture) >= JSON.stringify(picture).length);
      }),
    );
  });
});
