import { httpErrors } from '../failures/error-codes.js';
import type { IpNetwork } from './ip-address.js';
import { isInNetworks, parseIpAddress, parseIpNetwork } from './ip-address.js';
import { parseHost } from './parse-host.js';

/** The proxies and hosts that the service trusts. Fixed at start. */
export interface TrustPolicy {
  /** Whether forwarding headers of this peer are trusted. */
  isTrustedProxy(address: string): boolean;
  /** Whether this host name (lower case, no port, IPv6 in brackets) is allowed. */
  isAllowedHost(host: string): boolean;
}

export interface TrustPolicyOptions {
  /**
   * Addresses and networks of proxies whose forwarding headers are trusted: `10.0.0.0/8`, `::1`, or the names `loopback`,
   * `linklocal` and `private`. None by default.
   */
  readonly trustedProxies?: readonly string[];
  /**
   * Allowed hosts: `example.com`, `*.example.com` (names below it), an address, or `*`. Without the setting every
   * well-formed host is allowed.
   */
  readonly trustedHosts?: readonly string[] | undefined;
}

const networksByName: ReadonlyMap<string, readonly string[]> = new Map([
  ['loopback', ['127.0.0.0/8', '::1']],
  ['linklocal', ['169.254.0.0/16', 'fe80::/10']],
  ['private', ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7', '127.0.0.0/8', '::1']],
]);

/** Creates a trust policy. Throws `HTTP_TRUST_MALFORMED`, which names the malformed entry. */
export function createTrustPolicy(options: TrustPolicyOptions = {}): TrustPolicy {
  const networks = (options.trustedProxies ?? []).flatMap(parseProxy);
  const isAllowedHost =
    options.trustedHosts === undefined ? (): boolean => true : createHostCheck(options.trustedHosts);
  return {
    isTrustedProxy: (address) => isInNetworks(address, networks),
    isAllowedHost,
  };
}

function parseProxy(entry: string): IpNetwork[] {
  return (networksByName.get(entry) ?? [entry]).map((text) => {
    const network = parseIpNetwork(text);
    if (network !== undefined) return network;
    throw httpErrors.create('HTTP_TRUST_MALFORMED', {
      setting: 'trustedProxies',
      value: entry,
      reason: 'not an address or network',
      takes: 'addresses, networks (10.0.0.0/8, fd00::/8) and the names loopback, linklocal and private',
    });
  });
}

function createHostCheck(entries: readonly string[]): (host: string) => boolean {
  if (entries.includes('*')) return () => true;
  const exact = new Set<string>();
  const endings: string[] = [];
  for (const entry of entries) {
    const below = entry.startsWith('*.');
    const parsed = parseHost(below ? entry.slice(2) : bracketed(entry));
    if (parsed === undefined || parsed.port !== undefined) throw badHost(entry);
    if (below) endings.push(`.${parsed.host}`);
    else exact.add(parsed.host).add(canonicalHost(parsed.host)); // both spellings: the one as written is found with one lookup
  }
  return (host) =>
    exact.has(host) || exact.has(canonicalHost(host)) || endings.some((ending) => host.endsWith(ending));
}

/** Adds the brackets that the setting may omit from an IPv6 address. */
function bracketed(entry: string): string {
  return entry.includes(':') && !entry.startsWith('[') ? `[${entry}]` : entry;
}

function canonicalHost(host: string): string {
  const address = parseIpAddress(host.startsWith('[') ? host.slice(1, -1) : host);
  return address === undefined ? host : address.join(',');
}

function badHost(entry: string): Error {
  return httpErrors.create('HTTP_TRUST_MALFORMED', {
    setting: 'trustedHosts',
    value: entry,
    reason: 'not a host name',
    takes: 'host names without a port, *.names, addresses, or * for any',
  });
}
