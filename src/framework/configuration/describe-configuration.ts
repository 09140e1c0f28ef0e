import type { Configuration } from './configuration.js';

/** What a record says of the process that answered. No secrets, and of the environment only what is read at start. */
export function describeConfiguration(
  configuration: Configuration,
): Readonly<Record<string, string | number | boolean>> {
  const { env, debug, host, port, tls, trustedProxies, trustedHosts, profilerStore, retention } =
    configuration;
  return {
    env,
    debug,
    host,
    port,
    https: tls !== undefined,
    trustedProxies: trustedProxies.join(', '),
    trustedHosts: trustedHosts.join(', '),
    store: profilerStore,
    'retention count': retention.count,
    'retention age (s)': retention.age,
    'retention bytes': retention.bytes,
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  };
}
