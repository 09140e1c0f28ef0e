import type { HttpRequest } from '#http';
import { isLoopback, parseIp } from './parse-ip.js';

/** Who may open debug pages beyond the machine's own browser. */
export interface AccessOptions {
  /** Host names that may be asked for beside localhost, *.localhost, 127.0.0.1 and [::1]; lower case, no port. */
  readonly hosts?: readonly string[];
  /** Addresses that may ask beside loopback, each spelled out; compared as numbers. */
  readonly peers?: readonly string[];
}

/** What the guard found. The reason is for the log; a refused client is told nothing. */
export type AccessDecision =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly reason: string };

/** Decides whether this request may see debug output. Never throws, reads only socket and headers. */
export type AccessGuard = (request: HttpRequest) => AccessDecision;

const FORWARDING = [
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-forwarded-port',
  'x-forwarded-server',
  'x-real-ip',
  'x-client-ip',
  'x-cluster-client-ip',
  'true-client-ip',
  'cf-connecting-ip',
  'fastly-client-ip',
];
const LOCAL_HOSTS = ['localhost', '127.0.0.1', '[::1]'];
const ALLOWED: AccessDecision = { allowed: true };

/**
 * The guard of every debug surface: a loopback peer, a Host that only this machine answers to (DNS rebinding), no
 * sign of a proxy that nobody declared, and no other site behind the request. A token is a name, never a key.
 */
export function createAccessGuard(options: AccessOptions = {}): AccessGuard {
  const hosts = new Set([...LOCAL_HOSTS, ...(options.hosts ?? []).map((host) => host.toLowerCase())]);
  const peers = new Set((options.peers ?? []).map(addressKey).filter((key) => key !== undefined));
  return (request) => {
    try {
      const reason =
        foreignPeer(request, peers) ??
        foreignHost(request, hosts) ??
        foreignSite(request) ??
        foreignOrigin(request);
      return reason === undefined ? ALLOWED : { allowed: false, reason };
    } catch {
      return { allowed: false, reason: 'the request could not be read' };
    }
  };
}

function foreignPeer(request: HttpRequest, peers: ReadonlySet<string>): string | undefined {
  const socket = request.peer.address;
  const proxied = FORWARDING.find((name) => request.headers.has(name));
  const trusted = request.trust?.isTrustedProxy(socket) === true;
  if (proxied !== undefined && !trusted)
    return `it was forwarded (${proxied}) by a proxy that is not trusted`;
  const address = parseIp(socket);
  if (address === undefined) return 'its peer has no address';
  if (isLoopback(address) || peers.has(addressKey(socket) ?? '')) return undefined;
  return 'its peer is not this machine';
}

function foreignHost(request: HttpRequest, hosts: ReadonlySet<string>): string | undefined {
  const { host } = request;
  // One name of letters, digits, dots and hyphens: nothing that two readers could split differently.
  if (hosts.has(host) || /^(?:[a-z0-9-]{1,63}\.){1,8}localhost$/.test(host)) return undefined;
  return 'its Host is not allowed';
}

function foreignSite(request: HttpRequest): string | undefined {
  const site = request.headers.get('sec-fetch-site');
  if (site === undefined || site === 'none' || site === 'same-origin') return undefined;
  const navigates =
    request.headers.get('sec-fetch-mode') === 'navigate' &&
    request.headers.get('sec-fetch-dest') === 'document';
  return site === 'same-site' && navigates ? undefined : 'another site asked for it';
}

function foreignOrigin(request: HttpRequest): string | undefined {
  const origin = request.headers.get('origin');
  return origin === undefined || origin === request.origin ? undefined : 'its Origin is another one';
}

function addressKey(text: string): string | undefined {
  const address = parseIp(text);
  return address === undefined ? undefined : `${address.family}/${address.value}`;
}
