import assert from 'node:assert/strict';
import { channel } from 'node:diagnostics_channel';
import { describe, it } from 'node:test';
import { pageRequest } from '../../../../test/profiler/page-outline.js';
import { traceOf } from '../../model/request-trace.js';
import type { Recording } from '../../model/recording.js';
import { createOutgoingCollectors, traceCollector } from './outgoing-collectors.js';

describe('the collectors of calls to other systems', () => {
  it('are subscribed from their creation until they are closed', () => {
    const names = ['http:call', 'cache:command', 'mail:message', 'jobs:sent', 'jobs:run'];
    const subscribed = (): readonly boolean[] =>
      names.map((name) => channel(`lookback:${name}`).hasSubscribers);
    const before = subscribed();
    const { collectors, close } = createOutgoingCollectors();
    assert.deepEqual(
      collectors.map(({ name }) => name),
      ['http', 'cache', 'mail', 'jobs', 'trace'],
    );
    assert.ok(subscribed().every(Boolean));
    close();
    assert.deepEqual(subscribed(), before);
  });
});

describe('the trace in a record', () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const collect = (headers: readonly string[], begin = false): unknown => {
    const request = pageRequest('/', { headers });
    if (begin) traceOf(request);
    return traceCollector.collect?.({ request } as Recording); // all that is read of it
  };

  it('is the one that was continued or begun, and nothing without any', () => {
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
