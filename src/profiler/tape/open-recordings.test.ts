import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { OpenRecordings } from './open-recordings.js';
import type { RequestRecording } from './request-recording.js';

describe('OpenRecordings', () => {
  it('are those that were added and not removed, in their order', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 9 }), { maxLength: 60 }), (keys) => {
        const open = new OpenRecordings();
        const expected = new Map<number, RequestRecording>();
        for (const key of keys) {
          const known = expected.get(key);
          if (known === undefined) {
            const recording = { id: key } as RequestRecording; // all that the chain reads, beside its own links
            expected.set(key, recording);
            open.add(recording);
          } else {
            expected.delete(key);
            open.remove(known);
          }
          assert.equal(open.size, expected.size);
          assert.equal(open.oldest, [...expected.values()][0]);
          for (let each = 0; each < 10; each++) assert.equal(open.find(each), expected.get(each));
        }
        const left = [...expected.values()];
        for (const recording of left) {
          assert.equal(open.oldest, recording);
          open.remove(recording);
        }
        assert.equal(open.size, 0);
      }),
    );
  });
});
