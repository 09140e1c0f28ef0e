import { type OptionNames, optionNames } from '#core/coded-error';
import type { AccessOptions, SampleOptions } from '#profiler';
import {
  type RecordingAdditions,
  type RetentionSettings,
  type RecordingSettings,
  type Variables,
  environmentOf,
  whyNotRecorded,
  readRecordingSettings,
  stateStoreAddress,
  VariableReader,
} from '#profiler/setup';

/** Options for recording the requests of another server. All have defaults. */
export interface AttachOptions extends RecordingAdditions {
  /** If false, nothing is watched. Default: `LOOKBACK`, otherwise true in development and tests. */
  readonly enabled?: boolean;
  /**
   * Where records are kept: `sqlite:PATH`, `postgres://…` or `memory:`; `off` records nothing. Default
   * `PROFILER_STORE`, otherwise a file in the user's state folder, in tests `memory:`.
   */
  readonly store?: string;
  /** Bounds of the stored records. Default `PROFILER_MAX_COUNT`, `PROFILER_MAX_AGE` and `PROFILER_MAX_BYTES`. */
  readonly retention?: Partial<RetentionSettings>;
  /** Path below which the profiler's pages are. Default `/_profiler`. */
  readonly prefix?: string;
  /** Clients beside this machine that may open the pages and see tokens. Default: the peers in `DEBUG_ALLOWED_PEERS`. */
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
}

export const attachOptionNames: OptionNames<AttachOptions> = optionNames(
  'enabled store prefix access trustedProxies errorPage sample bodies bodyTypes pages toolbar editor budgets sections',
  { retention: { count: true, age: true, bytes: true } },
);

export interface AttachSettings
  extends
    RecordingSettings,
    Required<Pick<AttachOptions, 'enabled' | 'prefix' | 'bodies' | 'pages' | 'errorPage' | 'access'>> {
  /** Whether the calls that set header fields are recorded. */
  readonly setters: boolean;
}

/** Combines options and environment variables; options take precedence. Throws `CONFIG_BAD_VALUE`. */
export function readSettings(options: AttachOptions, variables: Variables = process.env): AttachSettings {
  const env = environmentOf(variables);
  const defaultStore = (): string => (env === 'test' ? 'memory:' : stateStoreAddress());
  const reader = new VariableReader(variables);
  const given = readRecordingSettings(reader, { isOn: true, defaultStore });
  const { store = given.store, editor = given.editor, toolbar = given.toolbar } = options;
  return {
    store,
    editor,
    toolbar,
    locals: given.locals,
    sample: { ...given.sample, ...options.sample },
    retention: { ...given.retention, ...options.retention },
    enabled: store !== 'off' && (options.enabled ?? whyNotRecorded(variables) === undefined),
    prefix: options.prefix ?? '/_profiler',
    bodies: options.bodies ?? env !== 'prod',
    setters: env !== 'prod',
    pages: options.pages ?? true,
    errorPage: options.errorPage ?? false,
    access: options.access ?? {
      peers: (reader.text('DEBUG_ALLOWED_PEERS') ?? '').split(/[\s,]+/).filter((one) => one !== ''),
    },
  };
}

/** Name of the method of a loaded middleware that waits for its store: the first request does, so that its token is short. */
export const whenReady: unique symbol = Symbol('when the store is ready');
