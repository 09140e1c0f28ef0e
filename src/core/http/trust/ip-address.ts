import { isIP, isIPv4 } from 'node:net';

/**
 * Parses an address as a 128-bit number, so that all spellings of an address are equal; returns undefined if the text
 * is not an address. An IPv4 address becomes the IPv4-mapped IPv6 address (`::ffff:a.b.c.d`, RFC 4291 section 2.5.5.2).
 * Accepts what Node accepts: `1.2.3.4` (no leading zeros), `::1`, `::ffff:1.2.3.4`, and a zone (`fe80::1%eth0`), which
 * is ignored.
 */
export function parseIpAddress(text: string): bigint | undefined {
  const family = text.length > 64 ? 0 : isIP(text);
  if (family === 0) return undefined;
  if (family === 4) return BigInt(`0xffff${digitsOf(text)}`);
  const [head = '', tail = ''] = text.replace(/%.*$/, '').split('::').map(digitsOf);
  return BigInt(`0x${head.padEnd(32 - tail.length, '0')}${tail}`);
}

/** Returns the hexadecimal digits of an IPv4 address, or of the groups on one side of `::`. */
function digitsOf(text: string): string {
  if (text.includes(':')) return text.split(':').map(digitsOf).join('');
  if (!text.includes('.')) return text === '' ? '' : text.padStart(4, '0');
  return text
    .split('.')
    .map((byte) => Number(byte).toString(16).padStart(2, '0'))
    .join('');
}

/** Returns true for 127.0.0.0/8 and ::1, in any spelling. */
export function isLoopbackAddress(text: string): boolean {
  // Node reports the last one for this machine if a server listens on `::`.
  if (text === '127.0.0.1' || text === '::1' || text === '::ffff:127.0.0.1') return true;
  const address = parseIpAddress(text);
  return address === 1n || (address !== undefined && address >> 24n === 0xffff7fn);
}

/** A network: all addresses that differ from `base` only in the last `free` bits. */
export interface IpNetwork {
  readonly base: bigint;
  readonly free: bigint;
}

/** Parses `10.0.0.0/8`, `fd00::/8` or a single address. Returns undefined if the text is not a network. */
export function parseIpNetwork(text: string): IpNetwork | undefined {
  const slash = text.indexOf('/');
  const base = parseIpAddress(slash === -1 ? text : text.slice(0, slash));
  if (base === undefined) return undefined;
  if (slash === -1) return { base, free: 0n };
  const bits = text.slice(slash + 1);
  const width = text.includes(':') ? 128 : 32;
  if (!/^(?:0|[1-9]\d{0,2})$/.test(bits) || Number(bits) > width) return undefined;
  return { base, free: BigInt(width - Number(bits)) };
}

/** Whether a text is an address in one of the networks; false for undefined. */
export function isInNetworks(text: string | undefined, networks: readonly IpNetwork[]): boolean {
  if (text === undefined || networks.length === 0) return false;
  const address = parseIpAddress(text);
  return address !== undefined && networks.some(({ base, free }) => (address ^ base) >> free === 0n);
}

/** Returns the key for counting one customer's addresses: the address, or an IPv6 address's /64 network. */
export function customerOf(text: string): string {
  const address = parseIpAddress(text);
  if (address === undefined) return text;
  return address >> 64n === 0n ? String(address) : `${address >> 64n}/64`;
}

/**
 * Returns the larger networks that one customer may have, /56 and /48, with the number of /64 networks that count for
 * each.
 */
export function widerNetworksOf(text: string): readonly { readonly key: string; readonly factor: number }[] {
  const address = parseIpAddress(text) ?? 0n;
  if (address >> 64n === 0n) return [];
  return [
    { key: `${address >> 72n}/56`, factor: 4 },
    { key: `${address >> 80n}/48`, factor: 16 },
  ];
}

export interface HostPort {
  /** Lower case; an IPv6 address in brackets. */
  readonly host: string;
  /** Undefined if none was named. */
  readonly port: number | undefined;
}

const namePattern = /^[a-z0-9_](?:[a-z0-9_.-]{0,253}[a-z0-9_.])?$/;
const portPattern = /^\d{1,5}$/;
/** Names that the URL standard may refuse or rewrite: they end in a number, or have a Punycode label. */
const unusualPattern = /(?:^|\.)(?:\d[^.]*\.?$|xn--)/;

/** Stands for the missing Host of an HTTP/1.0 request. It names no machine, not even this one. */
export const unnamedHost = '0.0.0.0';

/**
 * Parses the host and port of a Host header or authority (RFC 9112 section 3.2, RFC 3986 section 3.2.2). Returns
 * undefined if it is malformed, or if the URL standard refuses it or parses it as another host (`256.1.1.1`, `127.1`).
 * Accepts names of letters, digits, `-`, `_` and dots, IPv4 addresses and bracketed IPv6 addresses; no user
 * information, percent-encoding or list. Takes linear time.
 */
export function parseHost(text: string): HostPort | undefined {
  if (text === lastParsed.text) return lastParsed.host;
  const host = readHost(text);
  lastParsed = { text, host };
  return host;
}

/**
 * The most recently parsed text, because nearly all requests name the same host. The result depends only on the text.
 */
let lastParsed: { readonly text: string; readonly host: HostPort | undefined } = {
  text: '',
  host: undefined,
};

function readHost(text: string): HostPort | undefined {
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
  if (!namePattern.test(host) || host.includes('..')) return false;
  if (!unusualPattern.test(host) || isIPv4(host)) return true;
  const url = `http://${host}/`;
  return URL.canParse(url) && new URL(url).hostname === host;
}

/** Whether browsers resolve a host to this machine: another site cannot make them resolve it elsewhere. */
export function isLoopbackHost(host: string): boolean {
  if (host === 'localhost' || host.endsWith('.localhost')) return true;
  return isLoopbackAddress(host.startsWith('[') ? host.slice(1, -1) : host);
}

/** Returns whether a text is an origin as sent by browsers: scheme, host, and the port unless it is the default. */
export function isOrigin(text: string): boolean {
  return URL.canParse(text) && /^https?:/.test(text) && new URL(text).origin === text;
}
