import { createRedactor, type Redactor } from '#dump';
import type { Collector } from '../../model/collector.js';
import { createCacheCollector } from './cache-collector.js';
import { createHttpCollector } from './http-collector.js';
import { createJobsCollector } from './jobs-collector.js';
import { createMailCollector } from './mail-collector.js';
import { traceCollector } from './trace-collector.js';

/**
 * Collectors of a request's calls to other systems: `http` (outgoing requests), `cache`, `mail`, `jobs`, and the
 * `trace` that it belongs to. They listen once for the whole process, from their creation on, on `lookback:http:call`,
 * `lookback:cache:command`, `lookback:mail:message`, `lookback:jobs:sent` and `lookback:jobs:run`, until `close`.
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
