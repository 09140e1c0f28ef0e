import {
  trueOrFalse,
  numberAtLeast,
  type OptionNames,
  optionNames,
  refuseBadValues,
  refuseUnknownOptions,
  type ValueCheck,
  withDefaults,
} from '#core/coded-error';
import { createEditorLinker } from '#core/errors';
import { isOrigin, parseIpNetwork } from '#core/http';
import {
  type AccessOptions,
  checkAdditions,
  checkSample,
  type SampleOptions,
  sampleOptionNames,
  storeAddress,
} from '#profiler';
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
  'enabled store prefix trustedProxies errorPage bodies bodyTypes pages toolbar editor budgets sections',
  {
    retention: { count: true, age: true, bytes: true },
    access: { hosts: true, peers: true, origins: true, hostless: true },
    sample: sampleOptionNames,
  },
);

/**
 * Refuses options with a name or a value that they do not take, when something is attached: at the first request, they would
 * fail within the application. Throws `OPTIONS_UNKNOWN`, `OPTIONS_NOT_AN_OBJECT` and `OPTIONS_BAD_VALUE`.
 */
export function checkAttachOptions(options: AttachOptions): void {
  const location = 'lookback';
  refuseUnknownOptions(location, options, attachOptionNames);
  refuseBadValues(location, options, {
    enabled: trueOrFalse,
    store: {
      ...storeAddress,
      takes: `${storeAddress.takes}, or "off"`,
      accepts: (value) => value === 'off' || storeAddress.accepts(value),
    },
    prefix: {
      takes: 'a path that begins with a slash and does not end with one, such as "/_profiler"',
      accepts: (value) => typeof value === 'string' && /^(?:\/[\w.~-]+)+$/.test(value),
    },
    trustedProxies: networks,
    errorPage: trueOrFalse,
    bodies: trueOrFalse,
    pages: trueOrFalse,
    toolbar: trueOrFalse,
    editor: {
      takes: 'an editor (vscode, idea, zed …), or a template of its links with %f and %l',
      accepts: (value) => typeof value === 'string' && createEditorLinker(value)('/', 1, 1) !== undefined,
    },
    retention: objectOfOptions,
    access: objectOfOptions,
    sample: objectOfOptions,
  });
  refuseBadValues(`${location}: retention`, options.retention, {
    count: numberAtLeast(0),
    age: { ...numberAtLeast(0), takes: 'seconds, as a number of at least 0' },
    bytes: numberAtLeast(0),
  });
  refuseBadValues(`${location}: access`, options.access, {
    hosts: {
      takes: 'a list of host names without a port, such as "app.test" or "*.app.test"',
      accepts: (value) => isListOf(value, (host) => hostForm.test(host)),
    },
    peers: networks,
    origins: {
      takes: 'a list of origins, such as "http://localhost:5173"',
      accepts: (value) => isListOf(value, isOrigin),
    },
    hostless: trueOrFalse,
  });
  checkSample(location, options.sample);
  checkAdditions(location, options);
}

const objectOfOptions: ValueCheck = {
  takes: 'an object of options',
  accepts: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
};

function isListOf(value: unknown, isValid: (one: string) => boolean): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string' && isValid(one));
}

const hostForm = /^(?:\*|(?:\*\.)?[a-z\d_-]+(?:\.[a-z\d_-]+)*|\[[\da-f:.]+\])$/i;
const networkNames: ReadonlySet<string> = new Set(['loopback', 'linklocal', 'private']);

const networks: ValueCheck = {
  takes: 'a list of addresses and networks, such as "10.0.0.7", "192.168.0.0/16" or "loopback"',
  accepts: (value) => isListOf(value, (one) => networkNames.has(one) || parseIpNetwork(one) !== undefined),
};

export interface AttachSettings
  extends
    RecordingSettings,
    Required<Pick<AttachOptions, 'enabled' | 'prefix' | 'bodies' | 'pages' | 'errorPage' | 'access'>> {
  /** Whether the calls that set header fields are recorded. */
  readonly setters: boolean;
}

/** Combines options and environment variables; options take precedence. Throws `CONFIG_BAD_VALUE`, and as `checkAttachOptions`. */
export function readSettings(options: AttachOptions, variables: Variables = process.env): AttachSettings {
  checkAttachOptions(options);
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
    sample: withDefaults<SampleOptions>(given.sample, options.sample),
    retention: withDefaults(given.retention, options.retention),
    enabled: store !== 'off' && (options.enabled ?? whyNotRecorded(variables) === undefined),
    prefix: options.prefix ?? '/_profiler',
    bodies: options.bodies ?? env !== 'prod',
    setters: env !== 'prod',
    pages: options.pages ?? true,
    errorPage: options.errorPage ?? false,
    access: options.access ?? { peers: readPeers(reader) },
  };
}

/** Reads `DEBUG_ALLOWED_PEERS`. Throws `CONFIG_BAD_VALUE` with its name. */
function readPeers(reader: VariableReader): readonly string[] {
  const peers = (reader.text('DEBUG_ALLOWED_PEERS') ?? '').split(/[\s,]+/).filter((one) => one !== '');
  for (const one of peers)
    if (!networks.accepts([one]))
      throw reader.refusal('DEBUG_ALLOWED_PEERS', one, 'addresses and networks, separated by commas');
  return peers;
}

/** Name of the method of a loaded middleware that waits for its store: the first request does, so that its token is short. */
export const whenReady: unique symbol = Symbol('when the store is ready');
