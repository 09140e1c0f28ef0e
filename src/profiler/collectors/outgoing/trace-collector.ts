import { definePart } from '../../form/define-part.js';
import type { OutputOf } from '../../form/form.js';
import type { Collector } from '../../model/collector.js';
import { findTrace, receivedTrace } from '../../watch/request-trace.js';

const form = {
  // Null if no trace was continued or started.
  trace: ['?', { traceId: 'text', spanId: 'text', parentId: 'text?' }],
  // Trace id that the client sent.
  received: 'text?',
} as const;

/** The `trace` section of a record: the trace that the request belongs to (W3C Trace Context). */
export type TraceSection = OutputOf<typeof form>;

/** Collects the trace of a request, as `trace`. */
export const traceCollector: Collector = {
  name: 'trace',
  part: definePart(form),
  collect({ request }): TraceSection | undefined {
    const [trace, received] = [findTrace(request), receivedTrace(request)];
    return trace === undefined && received === undefined
      ? undefined
      : { trace: trace ?? null, received: received ?? null };
  },
};
