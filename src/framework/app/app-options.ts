import type { HttpRequest, RequestUser } from '#http';
import type { Around, ControllerClass } from '#controller';
import type { ServerLimits } from '#http/node';
import type { LogHandler } from '#log';
import type { Budgets, Collector, Panel, RecordSink, SampleOptions } from '#profiler';
import type { AppRoute } from './route-attribute.js';
import type { Configuration } from '../configuration/configuration.js';
import type { Extension } from './extension.js';

/** Additional collectors, panels and settings of the profiler. A panel with the `id` of a built-in one replaces it. */
export interface ProfilerAdditions {
  /** Whether HTML pages have the toolbar for clients that may open the profiler. Default true. */
  readonly toolbar?: boolean;
  readonly collectors?: readonly Collector[];
  readonly panels?: readonly Panel[];
  readonly sinks?: readonly RecordSink[];
  /** Limits for the resources of requests, by route name; exceeding one is a finding. */
  readonly budgets?: Budgets;
  /**
   * Selects the recorded requests; takes precedence over `PROFILER_SAMPLE` and `PROFILER_SAMPLE_SECRET`. Default: all.
   */
  readonly sample?: SampleOptions;
}

/** An extension that provides the users; their type becomes the type of `context.user`. */
export interface SecurityExtension<User extends RequestUser> extends Extension {
  user?(request: HttpRequest): Promise<User | undefined>;
}

/** Options of an application. All are optional: `createApp()` works without any. */
export interface AppOptions<User extends RequestUser = RequestUser> {
  /** Settings that take precedence over the environment variables in `process.env`. */
  readonly configuration?: Partial<Configuration>;
  /** Routes as data. */
  readonly routes?: readonly AppRoute[];
  /** Classes with routes that are declared by decorators or `annotate`. */
  readonly controllers?: readonly ControllerClass[];
  /** Creates or finds the instance of a controller class. Default: `new Class()`, once. */
  readonly instantiate?: (owner: ControllerClass) => object;
  /** Handlers of log records, in addition to the record of the request. Default: a line on stderr from `warning` on. */
  readonly logHandlers?: readonly LogHandler[];
  /** Limits for the size and duration of requests. Default: `defaultServerLimits` (bodies of 1 MiB). */
  readonly limits?: Partial<ServerLimits>;
  /** Locales of the application. Default: English only. See `lookback/locale`. */
  readonly locale?: Extension;
  /** Authentication and authorization. Default: a firewall that admits everyone. See `lookback/security`. */
  readonly security?: SecurityExtension<User>;
  /** Persistence, whose hooks run before and after routing. See `lookback/persistence`. */
  readonly persistence?: Extension;
  /** Additions to the profiler. See `lookback/profiler`. */
  readonly profiler?: ProfilerAdditions;
  /** Layers around the controller of every route, outermost first; the layers of extensions are inside of them. */
  readonly around?: readonly Around[];
  /** Other extensions; `lookback/web` has those that most sites need. */
  readonly extensions?: readonly Extension[];
}
