import {
  anObject,
  callable,
  flag,
  listOf,
  objectWith,
  type OptionsSchema,
  optionsSchema,
  type OptionType,
  required,
  text,
} from '#core/options';
import type { Command } from '#core/command';
import type { Around, ControllerClass } from '#framework/controller';
import type { Redactor } from '#core/dump';
import type { FlattenOptions, SourceLoader } from '#core/errors';
import type { HttpRequest, RequestUser, TrustPolicy } from '#core/http';
import { serverLimitsSchema, type ServerLimits } from '#core/http/node';
import type { KernelListener } from '#framework/kernel';
import { type LogHandler, logHandlers } from '#core/log';
import type { IgnoreRule, PageAccess, Recording, SampleOptions, Section } from '#profiler';
import { additionTypes, ignoreRules, sampleSchema, sectionSchema } from '#profiler/option-schemas';
import type { RecordingAdditions } from '#profiler/setup';
import type { CompiledRoutes, MatchTrace, RouteCollection } from '#core/routing';
import type { AppRoute } from './route-attribute.js';
import {
  type Configuration,
  type ConfigurationOptions,
  configurationSchema,
} from './configuration/configuration.js';

/**
 * Observes events outside the kernel (a diagnostics channel, a library hook) and adds them to the current request's
 * recording: `currentRecording()?.section('mail', …)`, which is undefined outside requests. Returns a function that
 * stops observing.
 */
export type Instrumentation = (currentRecording: () => Recording | undefined) => () => void;

/**
 * A set of additions to an application, defined by a module or by an application. Security, locale and persistence are
 * extensions too. Pass it to `createApp({ extensions })` or to `app.use`.
 */
export interface Extension {
  readonly name: string;
  readonly listeners?: readonly KernelListener[];
  /** Routes, tried after those in the `createApp` options and before those added to the application later. */
  readonly routes?: readonly AppRoute[];
  /** Layers around every route's controller, inside the layers of preceding extensions. */
  readonly around?: readonly Around[];
  /** Record sections. Not for `app.use`, because the profiler is created with the application. */
  readonly sections?: readonly Section[];
  /** Instrumentations that start if the application records requests, and stop when it closes. */
  readonly instrumentations?: readonly Instrumentation[];
  /** Paths, as sent, whose requests are not recorded, e.g. for health checks. */
  readonly unrecordedPaths?: readonly string[];
  /** Returns commands; application commands with the same name replace them. */
  commands?(): readonly Command[] | Promise<readonly Command[]>;
  /**
   * Called once, when the application begins to serve: after `listen()` has opened the port, or by `app.start()`. Use
   * it for background work, such as workers and schedules: commands and `lookback routes` do not call it. Extensions
   * start in order; if one fails, the server is closed and `listen()` throws its error.
   */
  started?(): void | Promise<void>;
  /** Called when the application begins to close, while it still listens and answers requests in flight. */
  stopping?(): void;
  /** Called after the server is closed. Extensions are closed in reverse order. */
  close?(): void | Promise<void>;
}

/** Additional profiler sections and settings. */
export interface ProfilerAdditions extends RecordingAdditions {
  /**
   * Whether HTML pages have the toolbar for clients that may open the profiler. Default `LOOKBACK_TOOLBAR`, or true.
   */
  readonly toolbar?: boolean;
  /**
   * Selects the recorded requests; takes precedence over `PROFILER_SAMPLE` and `PROFILER_SAMPLE_SECRET`. Default: all.
   */
  readonly sample?: SampleOptions;
  /**
   * Requests that are never recorded, even if they fail: paths, with `*` for any characters, optionally preceded by
   * methods (`GET /metrics`), and functions of the request. Default `PROFILER_IGNORE`.
   */
  readonly ignore?: readonly IgnoreRule[];
}

export const profilerAdditionsSchema: OptionsSchema<ProfilerAdditions> = optionsSchema<ProfilerAdditions>({
  ...additionTypes,
  toolbar: flag,
  sample: sampleSchema,
  ignore: ignoreRules,
});

/** An extension that provides users; their type becomes the type of `context.user`. */
interface SecurityExtension<User extends RequestUser> extends Extension {
  user?(request: HttpRequest): Promise<User | undefined>;
}

/** Application options. All are optional: `createApp()` works without any. */
export interface AppOptions<User extends RequestUser = RequestUser> {
  /** Settings that take precedence over the environment variables in `process.env`. */
  readonly configuration?: ConfigurationOptions;
  readonly routes?: readonly AppRoute[];
  /** Classes with routes declared by decorators or `annotate`. */
  readonly controllers?: readonly ControllerClass[];
  /** Creates or finds a controller class's instance. Default: `new Class()`, once. */
  readonly instantiate?: (owner: ControllerClass) => object;
  /** Handlers for log records, in addition to the request's record. Default: a line on stderr from `warning` on. */
  readonly logHandlers?: readonly LogHandler[];
  /** Limits on request size and duration. Default: `defaultServerLimits` (bodies of 1 MiB). */
  readonly limits?: Partial<ServerLimits>;
  /** The application's locales. Default: English only. See `lookback/locale`. */
  readonly locale?: Extension;
  /** Authentication and authorization. Default: a firewall that admits everyone. See `lookback/security`. */
  readonly security?: SecurityExtension<User>;
  /** Persistence, whose hooks run before and after routing. See `lookback/persistence`. */
  readonly persistence?: Extension;
  /** Additions to the profiler. See `lookback/profiler`. */
  readonly profiler?: ProfilerAdditions;
  /** Layers around every route's controller, outermost first; extension layers are inside them. */
  readonly around?: readonly Around[];
  /** Whether forms may use the methods PUT, PATCH and DELETE, on all routes, by naming them in a `_method` field. Default false. */
  readonly formMethod?: boolean;
  /** Other extensions; `lookback/web` has the extensions that most sites need. */
  readonly extensions?: readonly Extension[];
}

const arounds = listOf(callable<Around>());
/** Each route is checked when it is added, with a message that names its path. */
const routes = listOf(anObject<AppRoute>('a route as an object'));

/** An extension may have other members, and be a class instance. */
export const extensionSchema: OptionsSchema<Extension> = optionsSchema<Extension>(
  {
    name: required(text),
    listeners: listOf(objectWith<KernelListener>('a listener created by kernelListener()', 'addTo')),
    routes,
    around: arounds,
    sections: listOf(sectionSchema),
    instrumentations: listOf(callable<Instrumentation>()),
    unrecordedPaths: listOf(text),
    commands: callable(),
    started: callable(),
    stopping: callable(),
    close: callable(),
  },
  { isOpen: true, takes: 'an extension, which has a name' },
);

/**
 * An object without any extension member, such as an extension's options, is refused later with a more specific
 * code.
 */
const extension: OptionType<Extension> = {
  ...extensionSchema,
  check: (value) => (hasNothingOfOne(value) ? undefined : extensionSchema.check(value)),
};

function hasNothingOfOne(value: unknown): boolean {
  if (typeof value === 'function') return true;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return !Object.keys(extensionSchema.types).some((name) => name in value);
}

export const appSchema: OptionsSchema<AppOptions> = optionsSchema<AppOptions>({
  configuration: configurationSchema,
  routes,
  controllers: listOf(callable<ControllerClass>()),
  instantiate: callable(),
  logHandlers,
  limits: serverLimitsSchema,
  locale: extension,
  security: extension as OptionType<SecurityExtension<RequestUser>>, // its `user` function is checked when it is called
  persistence: extension,
  profiler: profilerAdditionsSchema,
  around: arounds,
  formMethod: flag,
  extensions: listOf(extension, 'a list of extensions'),
});

/** Services and settings shared by all parts of an application. */
export interface AppFoundation {
  readonly configuration: Configuration;
  readonly redactor: Redactor;
  /** Options for reading thrown values; the error page and the record share the loaded sources. */
  readonly flatten: FlattenOptions & { readonly sources: SourceLoader };
  readonly routes: RouteCollection;
  readonly table: () => CompiledRoutes;
  /** The routes for a client, chosen before matching: the profiler's only if the client may see debug output. */
  readonly tableFor: (request: HttpRequest) => CompiledRoutes;
  readonly trust: TrustPolicy;
  readonly limits: ServerLimits;
  /** Whether a request's client may see debug output, and if not, why. */
  readonly accessOf: (request: HttpRequest) => PageAccess;
  readonly isShown: (request: HttpRequest) => boolean;
  readonly explain: (request: HttpRequest) => MatchTrace;
}
