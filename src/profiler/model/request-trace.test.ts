import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseTraceparent } from './request-trace.js';

const [traceId, spanId] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];

describe('parseTraceparent', () => {
  it('reads a field with surrounding blanks, and later versions with more parts', () => {
    for (const text of [
      `00-${traceId}-${spanId}-01`,
      ` 00-${traceId}-${spanId}-00\t`,
      `01-${traceId}-${spanId}-01-more`,
    ])
      assert.deepEqual(parseTraceparent(text), { traceId, spanId }, text);
  });

  it('rejects malformed fields, version ff, extra parts in version 00, and all zeros', () => {
    for (const text of [
      '',
      `00-${traceId}-${spanId}`,
      `ff-${traceId}-${spanId}-01`,
      `00-${traceId}-${spanId}-01-more`,
      `00-${'0'.repeat(32)}-${spanId}-01`,
      `00-${traceId}-${'0'.repeat(16)}-01`,
      `00-${traceId.toUpperCase()}-${spanId}-01`,
    ])
      assert.equal(parseTraceparent(text), undefined, text);
  });
});
