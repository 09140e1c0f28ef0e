import type { AccessOptions, Budgets, Collector, Panel, RecordSink, SampleOptions } from '#profiler';

/** Options for recording the requests of another server. All have defaults. */
export interface AttachOptions {
  /** If false, nothing is watched. Default: true unless `NODE_ENV` is `production`. */
  readonly enabled?: boolean;
  /** Where records are kept: `sqlite:PATH` or `memory:`. Default `PROFILER_STORE`, otherwise `sqlite:var/profiler.db`. */
  readonly store?: string;
  /** Path below which the profiler's pages are. Default `/_profiler`. */
  readonly prefix?: string;
  /** Clients that, in addition to this machine, may open the pages and receive the record's token in headers. */
  readonly access?: AccessOptions;
  /** Addresses and networks of proxies whose forwarding headers are trusted. Default none. */
  readonly trustedProxies?: readonly string[];
  /**
   * Answers otherwise unanswered errors with the detailed page, for clients that may open the profiler; others get the
   * framework's own answer. Default false. Has no effect on plain servers.
   */
  readonly errorPage?: boolean;
  /** Which requests are recorded. Default all, or as `PROFILER_SAMPLE` (a share) and `PROFILER_SAMPLE_SECRET` set. */
  readonly sample?: SampleOptions;
  /** Whether the beginnings of bodies are kept. Default yes, unless `NODE_ENV` is `production`. */
  readonly bodies?: boolean;
  /** Whether the pages are on the application's own port. Default yes. */
  readonly pages?: boolean;
  /** Shows the toolbar in HTML pages to clients that may open the profiler. Default `LOOKBACK_TOOLBAR`, or true. */
  readonly toolbar?: boolean;
  /** Editor name or URL template for links to source lines. Default `LOOKBACK_IDE`. */
  readonly editor?: string;
  /** Upper limits by route: `{ 'GET /users/:id': { queries: 3 } }`. A request that exceeds one has a finding in its record. */
  readonly budgets?: Budgets;
  /** Collectors in addition to the built-in ones. */
  readonly collectors?: readonly Collector[];
  /** Receivers of every record of this process when it is complete: `openTelemetry(…).sinks`. */
  readonly sinks?: readonly RecordSink[];
  /** Panels in addition to the built-in ones. */
  readonly panels?: readonly Panel[];
}
