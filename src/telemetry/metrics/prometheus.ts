import { type HttpRequest, HttpResponse, requestRoute } from '#http';
import { type KernelListener, kernelListener, kernelPriority, requestEvent, terminateEvent } from '#kernel';
import { type AccessGuard, createAccessGuard, type Profiler } from '#profiler';
import { createScopeKey, type ScopeKey } from '#scope';

/** The part of a registry of `prom-client` that is used. */
export interface PromRegistry {
  readonly contentType: string;
  metrics(): Promise<string>;
}

interface MetricOptions {
  readonly name: string;
  readonly help: string;
  readonly labelNames?: string[];
  readonly buckets?: number[];
  readonly registers: never[]; // the registry: its type is the package's own
  /** Called with the metric as `this` when it is collected. */
  readonly collect?: () => void;
}
type Labels = Record<string, string>;

/** The part of `prom-client` that is used. */
export interface PromClient {
  readonly Registry: (new (contentType?: never) => PromRegistry) & {
    readonly OPENMETRICS_CONTENT_TYPE: string;
  };
  readonly Histogram: new (options: MetricOptions) => { observe(labels: Labels, value: number): void };
  readonly Gauge: new (options: MetricOptions) => {
    set(labels: Labels, value: number): void;
    inc(): void;
    dec(): void;
  };
  readonly Counter: new (options: MetricOptions) => {
    inc(labels: Labels, value: number): void;
    reset(): void;
  };
  collectDefaultMetrics(options: { readonly register: never }): void;
}

export interface PrometheusOptions {
  /** The package `prom-client`: `import * as client from 'prom-client'`. */
  readonly client: PromClient;
  /** Where an application adds metrics of its own. Default: a registry of OpenMetrics, with the metrics of Node. */
  readonly registry?: PromRegistry;
  /** Default `/metrics`; null if you serve it yourself (see `render`). */
  readonly path?: string | null;
  /** Who may read it; for others the path does not exist. Default: programs on this machine. */
  readonly access?: AccessGuard;
  /** `() => app.profiler`: what became of the records is counted too. */
  readonly profiler?: () => Profiler | undefined;
  /** Upper bounds of the histogram in seconds. Default: those of the semantic conventions. */
  readonly buckets?: readonly number[];
}

/** The extension, and the text for a port of its own. */
export interface PrometheusExtension {
  readonly name: string;
  readonly listeners: readonly KernelListener[];
  readonly unrecordedPaths: readonly string[];
  readonly registry: PromRegistry;
  /** The metrics, to be served on another port. */
  render(): Promise<{ readonly contentType: string; readonly body: string }>;
}

const begun: ScopeKey<number> = createScopeKey<number>('metrics start');
const usualBuckets = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
/** Others are a client's invention, of which there are too many. */
const methods = new Set('GET HEAD POST PUT PATCH DELETE OPTIONS CONNECT TRACE QUERY'.split(' '));
/** In front of everything that may answer; the metrics themselves where the probes of health are. */
const priority = { begin: 2047, answer: kernelPriority.request.validate + 63 };

/**
 * Metrics for Prometheus: the duration of requests by route, method and status (rate and errors follow from its counters), those
 * under way, Node's own (with the delay of the event loop), and what became of the records. All requests count, whatever is
 * sampled.
 */
export function prometheus(options: PrometheusOptions): PrometheusExtension {
  const { client, path = '/metrics', access = createAccessGuard() } = options;
  const registry = options.registry ?? ownRegistry(client);
  const render = async (): ReturnType<PrometheusExtension['render']> => ({
    contentType: registry.contentType,
    body: await registry.metrics(),
  });
  const { profiler } = options;
  if (profiler !== undefined) addRecordMetrics({ client, registry, profiler });
  const answer = kernelListener(
    requestEvent,
    (event) => {
      const { method, rawPath } = event.request;
      if (rawPath !== path || (method !== 'GET' && method !== 'HEAD') || !access(event.request).allowed)
        return;
      return render().then(({ contentType, body }) => {
        const headers = { 'Content-Type': contentType, 'Cache-Control': 'no-store' };
        event.response = new HttpResponse(body, { headers });
      });
    },
    { name: 'metrics', priority: priority.answer },
  );
  return {
    name: 'prometheus',
    unrecordedPaths: path === null ? [] : [path],
    registry,
    render,
    listeners: [...watchRequests(options, registry), ...(path === null ? [] : [answer])],
  };
}

function ownRegistry(client: PromClient): PromRegistry {
  const { Registry } = client;
  const registry = new Registry(Registry.OPENMETRICS_CONTENT_TYPE as never); // one of the package's two types
  client.collectDefaultMetrics({ register: registry as never }); // its own
  return registry;
}

function watchRequests(
  { client, buckets = usualBuckets, path }: PrometheusOptions,
  registry: PromRegistry,
): readonly KernelListener[] {
  const registers = [registry] as never[]; // the package's own
  const durations = new client.Histogram({
    name: 'http_server_request_duration_seconds',
    help: 'Duration of requests, from their head to the last byte of the answer.',
    labelNames: ['http_request_method', 'http_route', 'http_response_status_code'],
    buckets: [...buckets],
    registers,
  });
  const active = new client.Gauge({
    name: 'http_server_active_requests',
    help: 'Requests under way.',
    registers,
  });
  const isCounted = ({ scope, rawPath }: HttpRequest): boolean =>
    scope.parent === undefined && rawPath !== (path ?? '/metrics');
  return [
    kernelListener(
      requestEvent,
      ({ request }) => {
        if (!isCounted(request)) return;
        request.scope.set(begun, performance.now());
        active.inc();
      },
      { name: 'metrics', priority: priority.begin },
    ),
    kernelListener(
      terminateEvent,
      ({ request, sent }) => {
        const from = request.scope.getOwn(begun);
        if (from === undefined) return;
        active.dec();
        const labels = {
          http_request_method: methods.has(request.method) ? request.method : '_OTHER',
          http_route: request.scope.getOwn(requestRoute)?.path ?? '',
          http_response_status_code: String(sent.status),
        };
        durations.observe(labels, (performance.now() - from) / 1000);
      },
      { name: 'metrics', priority: 0 },
    ),
  ];
}

/** What became of the records of this process, read when the metrics are requested. */
function addRecordMetrics({
  client,
  registry,
  profiler,
}: {
  readonly client: PromClient;
  readonly registry: PromRegistry;
  readonly profiler: () => Profiler | undefined;
}): void {
  const registers = [registry] as never[]; // the package's own
  const gauge = (
    name: string,
    help: string,
    read: (from: Profiler) => Readonly<Record<string, number>>,
  ): void => {
    const metric = new client.Gauge({
      name,
      help,
      labelNames: ['state'],
      registers,
      collect() {
        const from = profiler();
        if (from === undefined) return;
        for (const [state, value] of Object.entries(read(from))) metric.set({ state }, value);
      },
    });
  };
  const made = new client.Counter({
    name: 'lookback_records_made_total',
    help: 'Records that this process made.',
    registers,
    collect() {
      made.reset();
      made.inc({}, profiler()?.counters().made ?? 0);
    },
  });
  gauge('lookback_records', 'Records that this process made, by what became of them.', (from) => {
    const { stored, pruned, dropped, pending } = from.counters();
    return { stored, pending, pruned: sumOf(pruned), dropped: sumOf(dropped) };
  });
  gauge('lookback_store', 'What the store holds, and 1 where it works.', (from) => {
    const { status, records, bytes } = from.state();
    return { ready: status === 'ready' ? 1 : 0, records: records ?? 0, bytes: bytes ?? 0 };
  });
  gauge('lookback_requests', 'Requests under way, and those that sampling left out.', (from) => {
    const { open, sampledOut } = from.counters();
    return { open, 'sampled-out': sampledOut };
  });
}

function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
