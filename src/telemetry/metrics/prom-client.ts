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
