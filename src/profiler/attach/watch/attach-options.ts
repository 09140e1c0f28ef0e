import { flag, type OptionsSchema, optionsSchema, readOptions } from '#core/options';
import type { AccessOptions, IgnoreRule, Retention, SampleOptions } from '#profiler';
import {
  accessSchema,
  additionTypes,
  debugPeers,
  editorName,
  ignoreRules,
  networks,
  pathPrefix,
  retentionSchema,
  sampleSchema,
  storeSetting,
  toolbarSetting,
} from '#profiler/option-schemas';
import {
  type RecordingAdditions,
  type RecordingSettings,
  type Variables,
  environmentOf,
  whyNotRecorded,
  readRecordingSettings,
  stateStoreAddress,
  VariableReader,
} from '#profiler/setup';

/** Options for recording another server's requests. All have defaults. */
export interface AttachOptions extends RecordingAdditions {
  /** If false, nothing is watched. Default: `LOOKBACK`, otherwise true in development and tests. */
  readonly enabled?: boolean;
  /**
   * Where records are kept: `sqlite:PATH`, `postgres://…` or `memory:`; `off` records nothing. Default:
   * `PROFILER_STORE`, otherwise a file in the user's state folder, or `memory:` in tests.
   */
  readonly store?: string;
  /** Limits on stored records. Default: `PROFILER_MAX_RECORDS`, `…_FAILURES`, `…_AGE_DAYS` and `…_BYTES`. */
  readonly retention?: Partial<Retention>;
  /** Path prefix of the profiler's pages. Default: `/_profiler`. */
  readonly prefix?: string;
  /**
   * Clients other than this machine that may open the pages and see tokens. Default: the peers in
   * `DEBUG_ALLOWED_PEERS`.
   */
  readonly access?: AccessOptions;
  /** Addresses and networks of proxies whose forwarding headers are trusted. Default: none. */
  readonly trustedProxies?: readonly string[];
  /**
   * Answers unhandled errors with the detailed page, for clients that may open the profiler; others get the framework's
   * own response. Has no effect on plain servers. Default: false.
   */
  readonly errorPage?: boolean;
  /**
   * Which requests are recorded. Default: all, or as set by `PROFILER_SAMPLE` (a share) and `PROFILER_SAMPLE_SECRET`.
   */
  readonly sample?: SampleOptions;
  /**
   * Requests that never leave a record: paths, with `*` for any characters, optionally preceded by methods (`GET
   * /metrics`), and functions of the request. Default: `PROFILER_IGNORE`.
   */
  readonly ignore?: readonly IgnoreRule[];
  /** Whether the beginnings of bodies are kept. Default: yes, unless `NODE_ENV` is `production`. */
  readonly bodies?: boolean;
  /** Whether the pages are served on the application's own port. Default: yes. */
  readonly pages?: boolean;
  /** Shows the toolbar in HTML pages to clients that may open the profiler. Default: `LOOKBACK_TOOLBAR`, or true. */
  readonly toolbar?: boolean;
  /** Editor name or URL template for links to source lines. Default: `LOOKBACK_IDE`. */
  readonly editor?: string;
}

/** Options for `attach` and every adapter. */
export const attachSchema: OptionsSchema<AttachOptions> = optionsSchema<AttachOptions>({
  ...additionTypes,
  enabled: flag,
  store: storeSetting,
  retention: retentionSchema,
  prefix: pathPrefix,
  access: accessSchema,
  trustedProxies: networks,
  errorPage: flag,
  sample: sampleSchema,
  ignore: ignoreRules,
  bodies: flag,
  pages: flag,
  toolbar: toolbarSetting,
  editor: editorName,
});

export interface AttachSettings
  extends
    RecordingSettings,
    Required<Pick<AttachOptions, 'enabled' | 'prefix' | 'bodies' | 'pages' | 'errorPage' | 'access'>> {
  /** Whether to record which calls set header fields. */
  readonly setters: boolean;
  /** Whether the options name the store. */
  readonly isStoreGiven: boolean;
  readonly additions: RecordingAdditions;
  readonly trustedProxies: readonly string[];
}

/**
 * Combines options and environment variables; options take precedence and are copied. Throws `CONFIG_BAD_VALUE`, and
 * the errors of `checkOptions`. Wrong options are rejected here, because at the first request they would fail within
 * the application.
 */
export function readSettings(given: AttachOptions, variables: Variables = process.env): AttachSettings {
  const options = readOptions('lookback', given, attachSchema);
  const env = environmentOf(variables);
  const defaultStore = (): string => (env === 'test' ? 'memory:' : stateStoreAddress());
  const reader = new VariableReader(variables);
  const read = readRecordingSettings(reader, { isOn: true, defaultStore });
  const { store = read.store, editor = read.editor, toolbar = read.toolbar } = options;
  const { sections, budgets, bodyTypes } = options;
  return {
    store,
    isStoreGiven: options.store !== undefined,
    editor,
    toolbar,
    locals: read.locals,
    sample: { ...read.sample, ...options.sample },
    ignore: options.ignore ?? read.ignore,
    retention: { ...read.retention, ...options.retention },
    enabled: store !== 'off' && (options.enabled ?? whyNotRecorded(variables) === undefined),
    prefix: options.prefix ?? '/_profiler',
    bodies: options.bodies ?? env !== 'prod',
    setters: env !== 'prod',
    pages: options.pages ?? true,
    errorPage: options.errorPage ?? false,
    access: options.access ?? { peers: reader.list(debugPeers) ?? [] },
    trustedProxies: options.trustedProxies ?? [],
    additions: {
      ...(sections === undefined ? {} : { sections }),
      ...(budgets === undefined ? {} : { budgets }),
      ...(bodyTypes === undefined ? {} : { bodyTypes }),
    },
  };
}

/** A loaded middleware's method that waits for its store. The first request calls it, so that its token is short. */
export const whenReady: unique symbol = Symbol('when the store is ready');
