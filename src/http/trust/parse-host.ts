import { isLoopbackAddress, parseIpAddress } from './ip-address.js';

/** A host and the port named with it. */
export interface HostPort {
  /** Lower case; an IPv6 address in brackets. */
  readonly host: string;
  /** Undefined if none was named. */
  readonly port: number | undefined;
}

const namePattern = /^[a-z0-9_](?:[a-z0-9_.-]{0,253}[a-z0-9_.])?$/;
const portPattern = /^\d{1,5}$/;

/**
 * Parses the host and port of a Host header or authority (RFC 9112 section 3.2, RFC 3986 section 3.2.2). Returns
 * undefined if it is malformed. Accepts names of letters, digits, `-`, `_` and dots, IPv4 addresses and bracketed IPv6
 * addresses; no user information, percent-encoding or list. Takes linear time.
 */
export function parseHost(text: string): HostPort | undefined {
  if (text.length === 0 || text.length > 300) return undefined;
  const end = text.startsWith('[') ? text.indexOf(']') + 1 : hostEnd(text);
  if (end <= 0) return undefined;
  const host = text.slice(0, end).toLowerCase();
  if (!isHost(host)) return undefined;
  if (end === text.length) return { host, port: undefined };
  if (text[end] !== ':') return undefined;
  const port = text.slice(end + 1);
  if (port === '') return { host, port: undefined };
  if (!portPattern.test(port) || Number(port) > 65_535) return undefined;
  return { host, port: Number(port) };
}

function hostEnd(text: string): number {
  const colon = text.indexOf(':');
  return colon === -1 ? text.length : colon;
}

function isHost(host: string): boolean {
  if (host.startsWith('[')) {
    const literal = host.slice(1, -1);
    return literal.includes(':') && !literal.includes('%') && parseIpAddress(literal) !== undefined;
  }
  return namePattern.test(host) && !host.includes('..');
}

/**
 * Returns true for `localhost`, its subdomains and loopback addresses: browsers resolve these to this machine, so no other
 * site's page can make a browser resolve them elsewhere.
 */
export function isLoopbackHost(host: string): boolean {
  if (host === 'localhost' || host.endsWith('.localhost')) return true;
  return isLoopbackAddress(host.startsWith('[') ? host.slice(1, -1) : host);
}
