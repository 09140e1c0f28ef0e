import { type OptionNames, refuseUnknownOptions } from '#coded-error';
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
  readonly registers: never[]; // the registry, whose type belongs to the package
  /** Called when the metric is collected, with the metric as `this`. */
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
  /**
   * Registry to which an application can add its own metrics. Default: a new registry for OpenMetrics, with the metrics
   * of Node.
   */
  readonly registry?: PromRegistry;
  /** Path of the metrics. Default `/metrics`; null if you serve them yourself (see `render`). */
  readonly path?: string | null;
  /** Who may read the metrics; for others the path does not exist. Default: programs on this machine. */
  readonly access?: AccessGuard;
  /** `() => app.profiler`, to count the fate of the records as well. */
  readonly profiler?: () => Profiler | undefined;
  /** Upper bounds of the histogram in seconds. Default: those of the semantic conventions. */
  readonly buckets?: readonly number[];
}

const prometheusOptionNames: OptionNames<PrometheusOptions> = {
  client: true,
  registry: true,
  path: true,
  access: true,
  profiler: true,
  buckets: true,
};

/** The extension, with its registry and a function that renders the metrics for another port. */
export interface PrometheusExtension {
  readonly name: string;
  readonly listeners: readonly KernelListener[];
  readonly unrecordedPaths: readonly string[];
  readonly registry: PromRegistry;
  /** Renders the metrics, to be served on another port. */
  render(): Promise<{ readonly contentType: string; readonly body: string }>;
}

const startKey: ScopeKey<number> = createScopeKey<number>('metrics start');
const usualBuckets = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
/** Methods that are counted by name. Clients can invent any number of others. */
const methods = new Set('GET HEAD POST PUT PATCH DELETE OPTIONS CONNECT TRACE QUERY'.split(' '));
/**
 * Priorities of the listeners: the time is taken before anything else may respond; the metrics are served where health
 * probes are.
 */
const priority = { begin: 2047, answer: kernelPriority.request.validate + 63 };

/**
 * Creates an extension with metrics for Prometheus: the duration of requests by route, method and status (rate and
 * errors follow from its counters), requests in flight, Node's own metrics (with the delay of the event loop), and the
 * fate of the records. All requests count, regardless of sampling.
 */
export function prometheus(options: PrometheusOptions): PrometheusExtension {
  refuseUnknownOptions('prometheus()', options, prometheusOptionNames);
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
  client.collectDefaultMetrics({ register: registry as never }); // created by the package
  return registry;
}

function watchRequests(
  { client, buckets = usualBuckets, path }: PrometheusOptions,
  registry: PromRegistry,
): readonly KernelListener[] {
  const registers = [registry] as never[]; // created by the package
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
        request.scope.set(startKey, performance.now());
        active.inc();
      },
      { name: 'metrics', priority: priority.begin },
    ),
    kernelListener(
      terminateEvent,
      ({ request, sent }) => {
        const from = request.scope.getOwn(startKey);
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

/** Adds metrics about the records of this process. They are read when the metrics are requested. */
function addRecordMetrics({
  client,
  registry,
  profiler,
}: {
  readonly client: PromClient;
  readonly registry: PromRegistry;
  readonly profiler: () => Profiler | undefined;
}): void {
  const registers = [registry] as never[]; // created by the package
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
