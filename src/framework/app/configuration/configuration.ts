import { safely } from '#core/coded-error';
import {
  anObject,
  checkValue,
  flag,
  fromVariable,
  listOf,
  oneOf,
  type OptionsSchema,
  optionsSchema,
  optionsWithDefaults,
  required,
  text,
  textWith,
  type VariableOption,
  whole,
} from '#core/options';
import { createTrustPolicy, type HttpRequest, isLoopbackHost, isOrigin } from '#core/http';
import { type AccessSettingNames, createAccessGuard, type PageAccess, type Retention } from '#profiler';
import {
  debugPeers,
  displayDefaults,
  editorName,
  ignoreRules,
  localsSetting,
  retentionSchema,
  sampleSchema,
  storeSetting,
  toolbarSetting,
} from '#profiler/option-schemas';
import {
  type Environment,
  environmentOf,
  readRecordingSettings,
  type RecordingSettings,
  VariableReader,
  type Variables,
  variablesOf,
} from '#profiler/setup';
import { parseBasePath } from '#core/routing';
import { createScopeKey, type ScopeKey } from '#core/scope';
import { frameworkErrors } from './error-codes.js';

/** The service's configuration. Fixed at startup: no request can change it. */
export interface Configuration extends Omit<RecordingSettings, 'store'> {
  readonly env: Environment;
  /** Turns on detailed error pages, the profiler's pages, and `X-Robots-Tag`. */
  readonly debug: boolean;
  readonly host: string;
  /** Port; 0 lets the system choose a free one. */
  readonly port: number;
  /** Paths to the PEM files; undefined for plain HTTP. */
  readonly tls: { readonly cert: string; readonly key: string } | undefined;
  /** Addresses and CIDR blocks of proxies whose forwarding headers are trusted. */
  readonly trustedProxies: readonly string[];
  /** Allowed host names of requests. If empty: the loopback names in debug, otherwise any. */
  readonly trustedHosts: readonly string[];
  /**
   * Path below which the application is served, such as `/app`; empty for none. Requests may include it or not, because
   * a proxy may remove it. A trusted proxy's X-Forwarded-Prefix takes precedence.
   */
  readonly basePath: string;
  /** Addresses and CIDR blocks of clients that see debug output, in addition to loopback. */
  readonly debugPeers: readonly string[];
  /**
   * Origins, in addition to the application's own, whose pages may see debug headers and error details, in debug only:
   * for a development server, `http://localhost:5173`. They cannot access the profiler's pages.
   */
  readonly debugOrigins: readonly string[];
  /** Access log line format on standard output; `dev` includes the record's URL and the error. */
  readonly accessLog: 'off' | 'json' | 'dev' | 'log';
  /** Record store: `sqlite:PATH`, `postgres://…`, `memory:` or `off`. */
  readonly profilerStore: string;
}

/** Settings that take precedence over the environment. */
export interface ConfigurationOptions extends Partial<Omit<Configuration, 'retention'>> {
  /** Limits on the stored records. Default `PROFILER_MAX_RECORDS`, `…_FAILURES`, `…_AGE_DAYS` and `…_BYTES`. */
  readonly retention?: Partial<Retention>;
}

/** Returns whether the trust policy accepts an entry. */
const isTrusted = (options: Parameters<typeof createTrustPolicy>[0]): boolean =>
  safely(() => createTrustPolicy(options), undefined) !== undefined;

const hostName = textWith('a host name or an IP address', (value) => /^[\w.:-]+$/.test(value));
const addressBlock = textWith('an address, a CIDR block, loopback, linklocal or private', (value) =>
  isTrusted({ trustedProxies: [value] }),
);
const hostPattern = textWith('a host name; *.example.org includes every name below', (value) =>
  isTrusted({ trustedHosts: [value] }),
);
const origin = textWith('an origin, such as http://localhost:5173', isOrigin);

const basePath = textWith('a path such as /app', (value) => parseBasePath(value) !== undefined);

const tlsSchema = optionsSchema<NonNullable<Configuration['tls']>>({
  cert: required(fromVariable('TLS_CERT', text)),
  key: required(fromVariable('TLS_KEY', text)),
});

type Defaulted =
  | 'host'
  | 'port'
  | 'trustedProxies'
  | 'basePath'
  | 'debugPeers'
  | 'debugOrigins'
  | 'accessLog'
  | 'toolbar'
  | 'locals';

/** Defaults that do not depend on the environment. */
const defaults: Readonly<Pick<Configuration, Defaulted>> = {
  host: '127.0.0.1',
  port: 8000,
  trustedProxies: [],
  basePath: '',
  debugPeers: [],
  debugOrigins: [],
  accessLog: 'off',
  ...displayDefaults,
};

export const configurationSchema: OptionsSchema<ConfigurationOptions, Defaulted> = optionsWithDefaults<
  ConfigurationOptions,
  Defaulted
>(
  {
    env: fromVariable('APP_ENV', oneOf('dev', 'test', 'prod'), '`NODE_ENV`, or `dev`'),
    debug: fromVariable('APP_DEBUG', flag, 'on, off in production'),
    host: fromVariable('HOST', hostName),
    port: fromVariable('PORT', whole({ min: 0, max: 65_535 })),
    tls: tlsSchema,
    trustedProxies: fromVariable('TRUSTED_PROXIES', listOf(addressBlock)),
    trustedHosts: fromVariable('TRUSTED_HOSTS', listOf(hostPattern), 'loopback names in debug, else any'),
    basePath: fromVariable('BASE_PATH', basePath),
    debugPeers: fromVariable(debugPeers.variable, listOf(addressBlock)),
    debugOrigins: fromVariable('DEBUG_ALLOWED_ORIGINS', listOf(origin)),
    accessLog: fromVariable('ACCESS_LOG', oneOf('off', 'json', 'dev', 'log')),
    profilerStore: storeSetting,
    sample: sampleSchema,
    ignore: ignoreRules,
    retention: retentionSchema,
    editor: editorName,
    toolbar: toolbarSetting,
    locals: localsSetting,
  },
  defaults,
);

/**
 * Confirms that debug output may be reachable from outside. Only settable as a variable, so that no program does it by
 * mistake.
 */
export const publicDebug: VariableOption<boolean> = fromVariable('APP_DEBUG_PUBLIC', flag, 'off');

/** The names of all variables that an application reads. */
export const applicationVariables: readonly string[] = variablesOf([configurationSchema, publicDebug]);

/**
 * Reads the configuration from environment variables; docs/reference/configuration.md lists them. Throws
 * `CONFIG_BAD_VALUE`, `CONFIG_INCOMPLETE_TLS` or `CONFIG_PUBLIC_DEBUG`, each with the name of the variable and the fix.
 */
export function readConfiguration(variables: Variables): Configuration {
  checkValue('readConfiguration()', 'variables', variables, anObject('an object such as process.env'));
  const reader = new VariableReader(variables);
  const { types } = configurationSchema;
  const env = environmentOf(variables);
  const debug = reader.flag(types.debug) ?? env !== 'prod';
  const host = reader.text(types.host) ?? defaults.host;
  if (debug && !isLoopbackHost(host) && reader.flag(publicDebug) !== true) {
    throw frameworkErrors.create('CONFIG_PUBLIC_DEBUG', { host });
  }
  const { store, ...recording } = readRecordingSettings(reader, {
    isOn: debug,
    defaultStore: () => (env === 'test' ? 'memory:' : 'sqlite:var/profiler.db'), // tests must not write to the disk
  });
  const path = reader.text(types.basePath) ?? defaults.basePath;
  return {
    env,
    debug,
    host,
    port: reader.number(types.port) ?? defaults.port,
    tls: readTls(reader),
    trustedProxies: reader.list(types.trustedProxies) ?? defaults.trustedProxies,
    trustedHosts: reader.list(types.trustedHosts) ?? [],
    basePath: parseBasePath(path) ?? path,
    debugPeers: reader.list(types.debugPeers) ?? defaults.debugPeers,
    debugOrigins: reader.list(types.debugOrigins) ?? defaults.debugOrigins,
    accessLog: reader.text(types.accessLog) ?? defaults.accessLog,
    profilerStore: store,
    ...recording,
  };
}

function readTls(reader: VariableReader): Configuration['tls'] {
  const cert = reader.text(tlsSchema.types.cert);
  const key = reader.text(tlsSchema.types.key);
  if (cert !== undefined && key !== undefined) return { cert, key };
  if (cert === undefined && key === undefined) return undefined;
  const [given, missing] = key === undefined ? ['TLS_CERT', 'TLS_KEY'] : ['TLS_KEY', 'TLS_CERT'];
  throw frameworkErrors.create('CONFIG_INCOMPLETE_TLS', { given, missing });
}

/** Describes the application's settings for records, without secrets. */
export function describeConfiguration(
  configuration: Configuration,
): Readonly<Record<string, string | number | boolean>> {
  const { env, debug, host, port, tls, trustedProxies, trustedHosts, basePath } = configuration;
  return {
    env,
    debug,
    host,
    port,
    https: tls !== undefined,
    trustedProxies: trustedProxies.join(', '),
    trustedHosts: trustedHosts.join(', '),
    ...(basePath === '' ? {} : { basePath }),
  };
}

/**
 * Decides whether a client may see debug output: in debug only, through the access guard; `origins` adds development
 * servers.
 */
export function createDebugAccess(
  configuration: Configuration,
  origins: readonly string[] = [],
): (request: HttpRequest) => PageAccess {
  if (!configuration.debug) return () => withoutDebug;
  const guard = createAccessGuard({
    hosts: configuration.trustedHosts,
    peers: configuration.debugPeers,
    origins,
    hostless: true,
  });
  // Decided once per request. Each guard has its own key, because guards with different origins decide differently.
  const decided: ScopeKey<PageAccess> = createScopeKey<PageAccess>('access to debug output');
  return (request) => {
    let access = request.scope.getOwn(decided);
    if (access === undefined) request.scope.set(decided, (access = guard(request)));
    return access;
  };
}

const withoutDebug: PageAccess = { allowed: false, reason: 'debug is off' };

/** The variables that let clients see debug output, by refusal reason. */
export const accessVariables: AccessSettingNames = {
  hosts: 'TRUSTED_HOSTS',
  peers: 'DEBUG_ALLOWED_PEERS',
  origins: 'DEBUG_ALLOWED_ORIGINS',
  trustedProxies: 'TRUSTED_PROXIES',
};
