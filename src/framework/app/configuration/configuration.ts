import { type OptionNames, optionNames, safely } from '#core/coded-error';
import { createTrustPolicy, type HttpRequest, isLoopbackHost, isOrigin } from '#core/http';
import { type AccessSettingNames, createAccessGuard, type PageAccess } from '#profiler';
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
  readonly accessLog: 'off' | 'json' | 'dev';
  /** Store of the records: `sqlite:PATH`, `postgres://…`, `memory:` or `off`. */
  readonly profilerStore: string;
}

export const configurationNames: OptionNames<Configuration> = optionNames(
  'env debug host port trustedProxies trustedHosts basePath debugPeers debugOrigins accessLog profilerStore editor toolbar locals',
  {
    tls: { cert: true, key: true },
    sample: { rate: true, errors: true, slowMs: true, secret: true },
    retention: { count: true, age: true, bytes: true },
  },
);

const addressBlocks = 'addresses, CIDR blocks, loopback, linklocal or private, separated by commas';

/**
 * Reads the configuration from environment variables; the README lists the defaults. Throws `CONFIG_BAD_VALUE`,
 * `CONFIG_INCOMPLETE_TLS` or `CONFIG_PUBLIC_DEBUG`, each with the name of the variable and the fix.
 */
export function readConfiguration(variables: Variables): Configuration {
  const reader = new VariableReader(variables);
  const env = environmentOf(variables);
  const debug = reader.flag('APP_DEBUG') ?? env !== 'prod';
  const host = reader.text('HOST') ?? '127.0.0.1';
  if (!/^[\w.:-]+$/.test(host)) throw reader.refusal('HOST', host, 'a host name or an IP address');
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
    port: reader.wholeNumber('PORT', { fallback: 8000, min: 0, max: 65_535 }),
    tls: readTls(reader),
    trustedProxies: reader.list('TRUSTED_PROXIES', {
      valid: isAddressBlock,
      takes: addressBlocks,
    }),
    trustedHosts: reader.list('TRUSTED_HOSTS', {
      valid: isHostPattern,
      takes: 'host names, separated by commas; *.example.org includes every name below',
    }),
    basePath: readBasePath(reader),
    debugPeers: reader.list('DEBUG_ALLOWED_PEERS', {
      valid: isAddressBlock,
      takes: addressBlocks,
    }),
    debugOrigins: reader.list('DEBUG_ALLOWED_ORIGINS', {
      valid: isOrigin,
      takes: 'origins, separated by commas: http://localhost:5173',
    }),
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
  if (format === undefined) throw reader.refusal('ACCESS_LOG', text, 'off, json or dev');
  return format;
}

const accessLogs = ['off', 'json', 'dev'] as const;

/** Returns whether the trust policy accepts an entry, so that an invalid one is reported with its variable. */
const isTrusted = (options: Parameters<typeof createTrustPolicy>[0]): boolean =>
  safely(() => createTrustPolicy(options), undefined) !== undefined;
const isAddressBlock = (text: string): boolean => isTrusted({ trustedProxies: [text] });
const isHostPattern = (text: string): boolean => isTrusted({ trustedHosts: [text] });

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
