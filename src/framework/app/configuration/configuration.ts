import { safely } from '#core/coded-error';
import {
  either,
  flag,
  listOf,
  oneOf,
  type OptionsSchema,
  optionsSchema,
  required,
  text,
  textWith,
  whole,
} from '#core/options';
import { createTrustPolicy, type HttpRequest, isLoopbackHost, isOrigin } from '#core/http';
import { type AccessSettingNames, createAccessGuard, type PageAccess, type Retention } from '#profiler';
import {
  editorName,
  ignoreRules,
  retentionSchema,
  sampleSchema,
  storeAddress,
} from '#profiler/option-schemas';
import {
  type Environment,
  environmentOf,
  readRecordingSettings,
  type RecordingSettings,
  VariableReader,
  type Variables,
} from '#profiler/setup';
import { parseBasePath } from '#core/routing';
import { createScopeKey, type ScopeKey } from '#core/scope';
import { frameworkErrors } from './error-codes.js';

/** The configuration of the service. Fixed at the start: no request can change it. */
export interface Configuration extends Omit<RecordingSettings, 'store'> {
  readonly env: Environment;
  /** Turns on detailed error pages, the pages of the profiler, and `X-Robots-Tag`. */
  readonly debug: boolean;
  readonly host: string;
  /** Port; 0 lets the system choose a free one. */
  readonly port: number;
  /** Paths of the PEM files; undefined for plain HTTP. */
  readonly tls: { readonly cert: string; readonly key: string } | undefined;
  /** Addresses and CIDR blocks of proxies whose forwarding headers are trusted. */
  readonly trustedProxies: readonly string[];
  /** Allowed host names of requests. If empty: the loopback names in debug, otherwise any. */
  readonly trustedHosts: readonly string[];
  /**
   * Path below which the application is reached, such as `/app`; empty for none. Requests may have it or not: a proxy may
   * remove it. X-Forwarded-Prefix of a trusted proxy takes precedence.
   */
  readonly basePath: string;
  /** Addresses and CIDR blocks of clients that see debug output, in addition to loopback. */
  readonly debugPeers: readonly string[];
  /**
   * Origins, in addition to the application's own, whose pages see debug headers and error details, in debug only: for a
   * development server, `http://localhost:5173`. They cannot access the pages of the profiler.
   */
  readonly debugOrigins: readonly string[];
  /** Format of the line for each request on standard output; `dev` has the URL of the record and the error. */
  readonly accessLog: 'off' | 'json' | 'dev' | 'log';
  /** Store of the records: `sqlite:PATH`, `postgres://…`, `memory:` or `off`. */
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
const port = whole({ min: 0, max: 65_535 });
const addressBlock = textWith('an address, a CIDR block, loopback, linklocal or private', (value) =>
  isTrusted({ trustedProxies: [value] }),
);
const hostPattern = textWith('a host name; *.example.org includes every name below', (value) =>
  isTrusted({ trustedHosts: [value] }),
);
const origin = textWith('an origin, such as http://localhost:5173', isOrigin);

export const configurationSchema: OptionsSchema<ConfigurationOptions> = optionsSchema<ConfigurationOptions>({
  env: oneOf('dev', 'test', 'prod'),
  debug: flag,
  host: hostName,
  port,
  tls: optionsSchema<NonNullable<Configuration['tls']>>({ cert: required(text), key: required(text) }),
  trustedProxies: listOf(addressBlock),
  trustedHosts: listOf(hostPattern),
  basePath: textWith('a path such as /app', (value) => parseBasePath(value) !== undefined),
  debugPeers: listOf(addressBlock),
  debugOrigins: listOf(origin),
  accessLog: oneOf('off', 'json', 'dev', 'log'),
  profilerStore: either(storeAddress, oneOf('off')),
  sample: sampleSchema,
  ignore: ignoreRules,
  retention: retentionSchema,
  editor: editorName,
  toolbar: flag,
  locals: flag,
});

/**
 * Reads the configuration from environment variables; the README lists the defaults. Throws `CONFIG_BAD_VALUE`,
 * `CONFIG_INCOMPLETE_TLS` or `CONFIG_PUBLIC_DEBUG`, each with the name of the variable and the fix.
 */
export function readConfiguration(variables: Variables): Configuration {
  const reader = new VariableReader(variables);
  const env = environmentOf(variables);
  const debug = reader.flag('APP_DEBUG') ?? env !== 'prod';
  const host = reader.text('HOST') ?? '127.0.0.1';
  if (hostName.check(host) !== undefined) throw reader.refusal('HOST', host, hostName.takes);
  if (debug && !isLoopbackHost(host) && reader.flag('APP_DEBUG_PUBLIC') !== true) {
    throw frameworkErrors.create('CONFIG_PUBLIC_DEBUG', { host });
  }
  const { store, ...recording } = readRecordingSettings(reader, {
    isOn: debug,
    defaultStore: () => (env === 'test' ? 'memory:' : 'sqlite:var/profiler.db'), // tests must not write to the disk
  });
  return {
    env,
    debug,
    host,
    port: reader.number('PORT', port) ?? 8000,
    tls: readTls(reader),
    trustedProxies: reader.list('TRUSTED_PROXIES', addressBlock),
    trustedHosts: reader.list('TRUSTED_HOSTS', hostPattern),
    basePath: readBasePath(reader),
    debugPeers: reader.list('DEBUG_ALLOWED_PEERS', addressBlock),
    debugOrigins: reader.list('DEBUG_ALLOWED_ORIGINS', origin),
    accessLog: readAccessLog(reader),
    profilerStore: store,
    ...recording,
  };
}

function readTls(reader: VariableReader): Configuration['tls'] {
  const cert = reader.text('TLS_CERT');
  const key = reader.text('TLS_KEY');
  if (cert !== undefined && key !== undefined) return { cert, key };
  if (cert === undefined && key === undefined) return undefined;
  const [given, missing] = key === undefined ? ['TLS_CERT', 'TLS_KEY'] : ['TLS_KEY', 'TLS_CERT'];
  throw frameworkErrors.create('CONFIG_INCOMPLETE_TLS', { given, missing });
}

function readBasePath(reader: VariableReader): string {
  const text = reader.text('BASE_PATH') ?? '';
  const path = parseBasePath(text);
  if (path === undefined) throw reader.refusal('BASE_PATH', text, 'a path such as /app');
  return path;
}

function readAccessLog(reader: VariableReader): Configuration['accessLog'] {
  const text = reader.text('ACCESS_LOG') ?? 'off';
  const format = accessLogs.find((one) => one === text);
  if (format === undefined) throw reader.refusal('ACCESS_LOG', text, 'off, json, dev or log');
  return format;
}

const accessLogs = ['off', 'json', 'dev', 'log'] as const;

/** Describes the settings of the application for records, without secrets. */
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

/** Decides whether a client may see debug output: in debug only, by the access guard; `origins` as well, of dev servers. */
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
  // Decided once per request. Each guard has its own key, because guards with other origins decide differently.
  const decided: ScopeKey<PageAccess> = createScopeKey<PageAccess>('access to debug output');
  return (request) => {
    let access = request.scope.getOwn(decided);
    if (access === undefined) request.scope.set(decided, (access = guard(request)));
    return access;
  };
}

const withoutDebug: PageAccess = { allowed: false, reason: 'debug is off' };

/** The variables that let clients see debug output, by what refused them. */
export const accessVariables: AccessSettingNames = {
  hosts: 'TRUSTED_HOSTS',
  peers: 'DEBUG_ALLOWED_PEERS',
  origins: 'DEBUG_ALLOWED_ORIGINS',
  trustedProxies: 'TRUSTED_PROXIES',
};
