import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Segment } from '../../model/profile-store.js';
import { packSegment, unpackPart } from './pack-segment.js';

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
        const packed = await packSegment(segmentOf(directory, body));
        assert.deepEqual(new Uint8Array(await unpackPart(packed.directory)), directory);
        assert.deepEqual(new Uint8Array(await unpackPart(packed.body)), body);
      }),
    );
  });

  it('that are missing, cut off or damaged are refused', async () => {
    const { body } = await packSegment(segmentOf(new Uint8Array(1), new Uint8Array(5000).fill(7)));
    assert.throws(() => void unpackPart(null), RangeError);
    assert.throws(() => void unpackPart('text'), RangeError);
    await assert.rejects(unpackPart(body.subarray(0, body.length - 4)));
    await assert.rejects(unpackPart(Buffer.from('no deflated bytes')));
  });
});
