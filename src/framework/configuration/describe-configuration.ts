import { readlinkSync } from 'node:fs';
import { storeNameOf } from '#profiler';
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
    store: storeNameOf(profilerStore),
    'retention count': retention.count,
    'retention age (s)': retention.age,
    'retention bytes': retention.bytes,
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    timezone: timeZone(),
  };
}

/** Read where Node reads it: Intl would load its data for this alone, which takes longer than all else a start does. */
function timeZone(): string {
  if (process.env['TZ']) return process.env['TZ'];
  try {
    const zone = readlinkSync('/etc/localtime').split('/zoneinfo/')[1];
    if (zone !== undefined) return zone;
  } catch {
    // No such link: another system.
  }
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}
