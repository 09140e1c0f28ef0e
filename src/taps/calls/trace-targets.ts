import { createTrustPolicy } from '#http';

/** `LOOKBACK_TRACE`: `off`, `all`, or origins beside those of the own network: `https://api.example.com, …`. */
const setting = (process.env['LOOKBACK_TRACE'] ?? '').trim();
const nearbyNetworks = createTrustPolicy({ trustedProxies: ['private', 'linklocal'] });
const origins = new Set(setting.split(/[\s,]+/).filter((text) => text !== ''));

/**
 * Whether an outgoing request may carry `traceparent`: to this machine, private networks and names without a dot (services
 * beside this one), and to what `LOOKBACK_TRACE` names. What belongs to others is asked as it would be without us.
 */
export function mayCarryTrace(url: string): boolean {
  if (setting === 'off') return false;
  if (setting === 'all') return true;
  const { hostname, origin } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  if (origins.has(origin)) return true;
  return (
    !/[.:]/.test(host) ||
    /\.(?:localhost|local|internal|test)$/.test(host) ||
    nearbyNetworks.isTrustedProxy(host)
  );
}
