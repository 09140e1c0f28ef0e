import { createRedactor, type Redactor } from '#core/dump';
import type { Collector } from '../../model/collector.js';
import { createCacheCollector } from './cache-collector.js';
import { createHttpCollector } from './http-collector.js';
import { createJobsCollector } from './jobs-collector.js';
import { createMailCollector } from './mail-collector.js';
import { findTrace, receivedTrace, type RequestTrace } from '../../model/request-trace.js';
import { type CompletedPart, definePart } from '../define-part.js';

/**
 * Creates the collectors of a request's calls to other systems: `http` (outgoing requests), `cache`, `mail`, `jobs`, and
 * the `trace` that the request belongs to. From their creation until `close`, they are subscribed for the whole process to
 * `lookback:http:call`, `lookback:cache:command`, `lookback:mail:message`, `lookback:jobs:sent` and `lookback:jobs:run`.
 * `redactor`: for the pictures of jobs; the writer redacts everything else.
 */
export function createOutgoingCollectors({
  redactor = createRedactor(),
}: { readonly redactor?: Redactor } = {}): {
  readonly collectors: readonly Collector[];
  close(): void;
} {
  const [http, cache, mail] = [createHttpCollector(), createCacheCollector(), createMailCollector()];
  const listening = [http, cache, mail, createJobsCollector(redactor)];
  return {
    collectors: [...listening, traceCollector],
    close() {
      for (const collector of listening) collector.close();
    },
  };
}

/** The `trace` section of a record: the trace that the request belongs to (W3C Trace Context). */
export interface TraceSection {
  /** Null if no trace was continued or started. */
  readonly trace: RequestTrace | null;
  /** Trace id that the client sent. */
  readonly received: string | null;
}

export const tracePart: CompletedPart = definePart<TraceSection>({ name: 'trace' });

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
