import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Segment } from '../../model/profile-store.js';
import { columnBytes, packKeysAndSums, readDirectory, readParts } from '../pages/block-sums.js';
import { packSegment } from './pack-segment.js';

const segmentOf = (directory: Uint8Array, body: Uint8Array): Segment => ({
  number: 1,
  bucket: 'app',
  keys: [1],
  startedAt: 0,
  closedAt: 0,
  facts: {},
  directory,
  body,
});

describe('the parts of a segment on their way to a server', () => {
  it('come back as they were', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array(), fc.uint8Array({ maxLength: 5000 }), async (directory, body) => {
        const { segment, ...packed } = await packSegment(segmentOf(directory, body));
        const row = { ...packed, keys: packKeysAndSums(segment.keys, [packed.directory, packed.body]) };
        const read = readParts(row, 'directory', 'body');
        assert.deepEqual(
          read.parts.map((part) => new Uint8Array(part)),
          [directory, body],
        );
        assert.deepEqual(read.keys, [1]);
      }),
    );
  });

  it('that are missing, cut off or changed are refused', async () => {
    const { directory } = await packSegment(segmentOf(new Uint8Array(5000).fill(7), new Uint8Array(1)));
    const keys = packKeysAndSums([1], [directory]);
    const changed = Buffer.from(directory).fill(0, 3, 4);
    for (const damaged of [directory.subarray(0, -1), changed, Buffer.from('no deflated bytes')])
      assert.throws(() => readDirectory({ keys, directory: damaged }), RangeError);
    assert.throws(() => columnBytes({ directory: null }, 'directory'), RangeError);
    assert.throws(() => columnBytes({ directory: 'text' }, 'directory'), RangeError);
  });
});
