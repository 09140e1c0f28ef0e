import type { HttpRequest, RequestUser } from '#http';
import type { Around, ControllerClass } from '#controller';
import type { ServerLimits } from '#http/node';
import type { LogHandler } from '#log';
import type { Budgets, Collector, Panel, RecordSink, SampleOptions } from '#profiler';
import type { AppRoute } from './route-attribute.js';
import type { Configuration } from '../configuration/configuration.js';
import type { Extension } from './extension.js';

/** Further collectors and panels; a panel with the `id` of a built-in one takes its place. */
export interface ProfilerAdditions {
  /** Whether HTML pages show the toolbar to those who may open the profiler. Default yes. */
  readonly toolbar?: boolean;
  readonly collectors?: readonly Collector[];
  readonly panels?: readonly Panel[];
  readonly sinks?: readonly RecordSink[];
  /** What requests may need at most, by the names of their routes; what is above it is a finding. */
  readonly budgets?: Budgets;
  /** Which requests are recorded; wins over `PROFILER_SAMPLE` and `PROFILER_SAMPLE_SECRET`. Default all. */
  readonly sample?: SampleOptions;
}

/** An extension that knows the users; their type becomes that of `context.user`. */
export interface SecurityExtension<User extends RequestUser> extends Extension {
  user?(request: HttpRequest): Promise<User | undefined>;
}

/** How an application is put together. Everything has a default: `createApp()` serves. */
export interface AppOptions<User extends RequestUser = RequestUser> {
  /** Read from `process.env` by default; settings passed here take precedence. */
  readonly configuration?: Partial<Configuration>;
  /** Routes as data. */
  readonly routes?: readonly AppRoute[];
  /** Classes whose routes are declared on them. */
  readonly controllers?: readonly ControllerClass[];
  /** Makes or finds the instance of a class controller; default `new Class()`, once. */
  readonly instantiate?: (owner: ControllerClass) => object;
  /** Handlers of log records, in addition to the request's record; default: a line on stderr from `warning` on. */
  readonly logHandlers?: readonly LogHandler[];
  /** How much a client may send and how long it may take; default: `defaultServerLimits` (bodies of 1 MiB). */
  readonly limits?: Partial<ServerLimits>;
  /** The locale step; default: English, negotiated by nothing. See `lookback/locale`. */
  readonly locale?: Extension;
  /** The firewall and everything about users; default: a firewall that admits everyone. See `lookback/security`. */
  readonly security?: SecurityExtension<User>;
  /** Hooks that are called before and after routing. See `lookback/persistence`. */
  readonly persistence?: Extension;
  /** What the profiler keeps and shows beyond its own. See `lookback/profiler`. */
  readonly profiler?: ProfilerAdditions;
  /** Layers around the controller of every route, the outermost first; those of extensions are further in. */
  readonly around?: readonly Around[];
  /** Anything else: `lookback/web` has what most sites need. */
  readonly extensions?: readonly Extension[];
}
