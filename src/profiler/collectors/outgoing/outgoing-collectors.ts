import { createRedactor, type Redactor } from '#dump';
import type { Collector } from '../../model/collector.js';
import { createCacheCollector } from './cache-collector.js';
import { createHttpCollector } from './http-collector.js';
import { createJobsCollector } from './jobs-collector.js';
import { createMailCollector } from './mail-collector.js';
import { traceCollector } from './trace-collector.js';

/**
 * Creates the collectors of a request's calls to other systems: `http` (outgoing requests), `cache`, `mail`, `jobs`, and
 * the `trace` that the request belongs to. From their creation until `close`, they are subscribed for the whole process to
 * `lookback:http:call`, `lookback:cache:command`, `lookback:mail:message`, `lookback:jobs:sent` and `lookback:jobs:run`.
 */
export function createOutgoingCollectors({
  redactor = createRedactor(),
}: { readonly redactor?: Redactor } = {}): {
  readonly collectors: readonly Collector[];
  close(): void;
} {
  const listening = [createHttpCollector, createCacheCollector, createMailCollector, createJobsCollector].map(
    (create) => create(redactor),
  );
  return {
    collectors: [...listening, traceCollector],
    close() {
      for (const collector of listening) collector.close();
    },
  };
}
