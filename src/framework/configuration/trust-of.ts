import type { TrustPolicy } from '#http';
import { createTrustPolicy } from '#http';
import type { Configuration } from './configuration.js';

const loopbackNames = ['localhost', '*.localhost', '127.0.0.1', '[::1]'];

/** Whom the service believes: in debug only loopback names (and its own host) may be asked for, unless hosts are named. */
export function trustOf(configuration: Configuration): TrustPolicy {
  const { trustedProxies, trustedHosts, debug, host } = configuration;
  const own = host.includes(':') ? `[${host}]` : host;
  const debugHosts = own === '0.0.0.0' || own === '[::]' ? loopbackNames : [...loopbackNames, own];
  return createTrustPolicy({
    trustedProxies,
    trustedHosts:
      trustedHosts.length > 0
        ? [...trustedHosts, ...(debug ? loopbackNames : [])]
        : debug
          ? debugHosts
          : undefined,
  });
}
