import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pageRequest } from '../../../../test/profiler/page-outline.js';
import { traceOf } from '../../model/request-trace.js';
import type { Recording } from '../../model/recording.js';
import { traceCollector } from './collect.js';

describe('the trace in a record', () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const collect = (headers: readonly string[], begin = false): unknown => {
    const request = pageRequest('/', { headers });
    if (begin) traceOf(request);
    return traceCollector.collect?.({ request } as Recording); // only these fields are read
  };

  it('is the one that was continued or started, and absent without either', () => {
    assert.equal(collect([]), undefined);
    const begun = collect([], true) as { trace: { parentId: unknown }; received: unknown };
    assert.deepEqual([begun.trace.parentId, begun.received], [null, null]);
    const continued = collect(['traceparent', traceparent]) as {
      trace: { parentId: unknown };
      received: unknown;
    };
    assert.deepEqual(
      [continued.trace.parentId, continued.received],
      ['b7ad6b7169203331', '0af7651916cd43dd8448eb211c80319c'],
    );
  });
});
