import type { Collector } from '../../model/collector.js';
import { findTrace, receivedTrace, type RequestTrace } from '../../tape/request-trace.js';
import { type CompletedPart, definePart } from '../define-part.js';

/** The `trace` section of a record: the trace that the request belongs to (W3C Trace Context). */
export interface TraceSection {
  /** Null if no trace was continued or started. */
  readonly trace: RequestTrace | null;
  /** Trace id that the client sent. */
  readonly received: string | null;
}

export const tracePart: CompletedPart = definePart<TraceSection>({});

/** Collects the trace of a request, as `trace`. */
export const traceCollector: Collector = {
  name: 'trace',
  part: tracePart,
  collect({ request }): TraceSection | undefined {
    const [trace, received] = [findTrace(request), receivedTrace(request)];
    return trace === undefined && received === undefined
      ? undefined
      : { trace: trace ?? null, received: received ?? null };
  },
};
