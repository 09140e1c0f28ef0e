import { createTrustPolicy, isLoopbackHost } from '#http';
import { isStoreAddress, storeNameOf } from '#profiler';
import type { Configuration, Environment } from './configuration.js';
import { frameworkErrors } from './error-codes.js';

const addressBlocks = 'addresses, CIDR blocks, loopback, linklocal or private, separated by commas';

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Reads the configuration from environment variables; the README lists the defaults. Throws `CONFIG_BAD_VALUE`,
 * `CONFIG_INCOMPLETE_TLS` or `CONFIG_PUBLIC_DEBUG`, each with the name of the variable and the fix.
 */
export function readConfiguration(variables: Variables): Configuration {
  const env = readEnvironment(variables);
  const debug = readFlag(variables, 'APP_DEBUG') ?? env !== 'prod';
  const host = read(variables, 'HOST') ?? '127.0.0.1';
  if (!/^[\w.:-]+$/.test(host)) throw badValue('HOST', host, 'a host name or an IP address');
  if (debug && !isLoopbackHost(host) && readFlag(variables, 'APP_DEBUG_PUBLIC') !== true) {
    throw frameworkErrors.create('CONFIG_PUBLIC_DEBUG', { host });
  }
  return {
    env,
    debug,
    host,
    port: readInteger(variables, 'PORT', { fallback: 8000, min: 0, max: 65_535 }),
    tls: readTls(variables),
    trustedProxies: readList(variables, 'TRUSTED_PROXIES', {
      valid: isAddressBlock,
      takes: addressBlocks,
    }),
    trustedHosts: readList(variables, 'TRUSTED_HOSTS', {
      valid: isHostPattern,
      takes: 'host names, separated by commas; *.example.org includes every name below',
    }),
    debugPeers: readList(variables, 'DEBUG_ALLOWED_PEERS', {
      valid: isAddressBlock,
      takes: addressBlocks,
    }),
    debugOrigins: readList(variables, 'DEBUG_ALLOWED_ORIGINS', {
      valid: isOrigin,
      takes: 'origins, separated by commas: http://localhost:5173',
    }),
    accessLog: readAccessLog(variables),
    profilerStore: readStore(variables, debug ? storeOfDebug[env] : 'off'),
    sample: readSample(variables),
    retention: {
      count: readInteger(variables, 'PROFILER_MAX_COUNT', { fallback: 10_000, min: 1, max: 100_000_000 }),
      age: readInteger(variables, 'PROFILER_MAX_AGE', {
        fallback: 7 * 24 * 3600,
        min: 1,
        max: 10 * 365 * 24 * 3600,
      }),
      bytes: readInteger(variables, 'PROFILER_MAX_BYTES', {
        fallback: 256 * 1024 * 1024,
        min: 1024 * 1024,
        max: 2 ** 50,
      }),
    },
    editor: read(variables, 'LOOKBACK_IDE'),
  };
}

function readEnvironment(variables: Variables): Environment {
  const name =
    read(variables, 'APP_ENV') ??
    environmentOfNode(read(variables, 'NODE_ENV'), { isTest: variables['NODE_TEST_CONTEXT'] !== undefined });
  return name === 'dev' || name === 'test' ? name : 'prod';
}

/** Maps `NODE_ENV` to an environment. If it is not set: `test` under the test runner of Node, otherwise `dev`. */
function environmentOfNode(name: string | undefined, { isTest }: { readonly isTest: boolean }): string {
  if (name === undefined) return isTest ? 'test' : 'dev';
  if (name === 'development') return 'dev';
  return name;
}

function readTls(variables: Variables): Configuration['tls'] {
  const files = {
    TLS_CERT: read(variables, 'TLS_CERT'),
    TLS_KEY: read(variables, 'TLS_KEY'),
    TLS_CLIENT_CA: read(variables, 'TLS_CLIENT_CA'),
  };
  const { TLS_CERT: cert, TLS_KEY: key, TLS_CLIENT_CA: clientCa } = files;
  if (cert !== undefined && key !== undefined) return { cert, key, clientCa };
  const given = Object.entries(files).find(([, path]) => path !== undefined)?.[0];
  if (given === undefined) return undefined;
  const missing = cert === undefined ? 'TLS_CERT' : 'TLS_KEY';
  throw frameworkErrors.create('CONFIG_INCOMPLETE_TLS', { given, missing });
}

/** Default stores in debug. Tests must not write to the disk. */
const storeOfDebug: Readonly<Record<Environment, string>> = {
  dev: 'sqlite:var/profiler.db',
  test: 'memory:',
  prod: 'sqlite:var/profiler.db',
};

function readStore(variables: Variables, fallback: string): string {
  const store = read(variables, 'PROFILER_STORE') ?? fallback;
  if (store === 'off' || isStoreAddress(store)) return store;
  throw badValue(
    'PROFILER_STORE',
    storeNameOf(store),
    '"sqlite:PATH", "postgres://…", "redis://…", "memory:" or "off"',
  );
}

function readAccessLog(variables: Variables): Configuration['accessLog'] {
  const text = read(variables, 'ACCESS_LOG') ?? 'off';
  const format = accessLogs.find((one) => one === text);
  if (format === undefined) throw badValue('ACCESS_LOG', text, accessLogs.join(', '));
  return format;
}

const accessLogs = ['off', 'text', 'json', 'dev'] as const;

function readFlag(variables: Variables, name: string): boolean | undefined {
  const text = read(variables, name)?.toLowerCase();
  if (text === undefined) return undefined;
  if (['1', 'true', 'yes', 'on'].includes(text)) return true;
  if (['0', 'false', 'no', 'off'].includes(text)) return false;
  throw badValue(name, text, '1, true, yes or on; 0, false, no or off');
}

function readInteger(
  variables: Variables,
  name: string,
  { fallback, min, max }: { fallback: number; min: number; max: number },
): number {
  const text = read(variables, name);
  if (text === undefined) return fallback;
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw badValue(name, text, `a whole number from ${min} to ${max}`);
}

function readSample(variables: Variables): Configuration['sample'] {
  const text = read(variables, 'PROFILER_SAMPLE') ?? '1';
  const rate = /^\d(?:\.\d{1,9})?$/.test(text) ? Number(text) : Number.NaN;
  if (!(rate <= 1)) throw badValue('PROFILER_SAMPLE', text, 'a share from 0 to 1, such as 0.05');
  const secret = read(variables, 'PROFILER_SAMPLE_SECRET');
  if (secret === undefined) return { rate };
  if (secret.length < 32) throw badValue('PROFILER_SAMPLE_SECRET', '(hidden)', 'at least 32 characters');
  return { rate, secret };
}

function readList(
  variables: Variables,
  name: string,
  { valid, takes }: { valid: (item: string) => boolean; takes: string },
): readonly string[] {
  const items = (read(variables, name) ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
  for (const item of items) if (!valid(item)) throw badValue(name, item, takes);
  return items;
}

/** Returns the trimmed value of a variable; undefined if it is unset or empty. */
function read(variables: Variables, name: string): string | undefined {
  const text = variables[name]?.trim();
  return text === '' ? undefined : text;
}

function badValue(variable: string, value: string, takes: string): Error {
  return frameworkErrors.create('CONFIG_BAD_VALUE', { variable, value, takes });
}

/** Returns whether the trust policy accepts an entry, so that an invalid one is reported with its variable. */
function isTrustEntry(options: Parameters<typeof createTrustPolicy>[0]): boolean {
  try {
    createTrustPolicy(options);
    return true;
  } catch {
    return false;
  }
}

const isAddressBlock = (text: string): boolean => isTrustEntry({ trustedProxies: [text] });
const isHostPattern = (text: string): boolean => isTrustEntry({ trustedHosts: [text] });

/** Returns whether a text is an origin as browsers send it: scheme, host, and the port unless it is the default. */
function isOrigin(text: string): boolean {
  return URL.canParse(text) && /^https?:/.test(text) && new URL(text).origin === text;
}
