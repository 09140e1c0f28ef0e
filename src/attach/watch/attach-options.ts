import type { AccessOptions, Budgets, Collector, Panel, RecordSink, SampleOptions } from '#profiler';

/** How requests of another server are recorded. Everything has a default. */
export interface AttachOptions {
  /** Nothing is watched where it is false. Default: unless `NODE_ENV` is `production`. */
  readonly enabled?: boolean;
  /** Where records are kept: `sqlite:PATH` or `memory:`. Default `PROFILER_STORE`, else `sqlite:var/profiler.db`. */
  readonly store?: string;
  /** Path below which the profiler's pages are. Default `/_profiler`. */
  readonly prefix?: string;
  /** Who may open them, and is sent the record's token in headers, beside this machine. */
  readonly access?: AccessOptions;
  /** Addresses and networks of proxies whose forwarding headers count. Default none. */
  readonly trustedProxies?: readonly string[];
  /**
   * The detailed page answers errors that nothing has answered, to clients that may open the profiler; others get the
   * framework's own answer. Default no. Where the server is a plain one, there is nothing to take the place of.
   */
  readonly errorPage?: boolean;
  /** Which requests are recorded. Default all, or what `PROFILER_SAMPLE` (a share) and `PROFILER_SAMPLE_SECRET` say. */
  readonly sample?: SampleOptions;
  /** Whether the beginnings of bodies are kept. Default yes, unless `NODE_ENV` is `production`. */
  readonly bodies?: boolean;
  /** Whether the pages are on the application's own port. Default yes. */
  readonly pages?: boolean;
  /** Whether whole HTML pages show the toolbar to those who may open the profiler. Default `LOOKBACK_TOOLBAR`, else yes. */
  readonly toolbar?: boolean;
  /** Editor name or URL template for links to source lines. Default `LOOKBACK_IDE`. */
  readonly editor?: string;
  /** What requests may need at most, by route: `{ 'GET /users/:id': { queries: 3 } }`. More than that is a finding of the record. */
  readonly budgets?: Budgets;
  /** What is kept beyond the profiler's own. */
  readonly collectors?: readonly Collector[];
  /** Given each record of this process when it is closed: `openTelemetry(…).sinks`. */
  readonly sinks?: readonly RecordSink[];
  /** What is shown beyond the profiler's own. */
  readonly panels?: readonly Panel[];
}
