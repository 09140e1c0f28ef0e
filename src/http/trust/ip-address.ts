import { isIP, isIPv4 } from 'node:net';

/**
 * An address as four 32-bit numbers, so that all spellings of an address compare equal. An IPv4 address is stored as the
 * IPv4-mapped IPv6 address (`::ffff:a.b.c.d`, RFC 4291 section 2.5.5.2).
 */
type IpAddress = readonly [number, number, number, number];

/**
 * Parses an address; returns undefined if the text is not one. Accepts what Node accepts: `1.2.3.4` (no leading zeros),
 * `::1`, `::ffff:1.2.3.4`, and a zone (`fe80::1%eth0`), which is ignored.
 */
export function parseIpAddress(text: string): IpAddress | undefined {
  const family = text.length > 64 ? 0 : isIP(text);
  if (family === 0) return undefined;
  if (family === 4) return [0, 0, 0xffff, ipv4Word(text)];
  const [head = '', tail = ''] = text.replace(/%.*$/, '').split('::');
  const [first, last] = [groupsOf(head), groupsOf(tail)];
  const missing = Array.from({ length: 8 - first.length - last.length }, () => 0);
  const groups = [...first, ...missing, ...last];
  const word = (at: number): number => (groups[at] ?? 0) * 0x10000 + (groups[at + 1] ?? 0);
  return [word(0), word(2), word(4), word(6)];
}

function ipv4Word(text: string): number {
  return text.split('.').reduce((word, part) => word * 256 + Number(part), 0);
}

/** Returns the 16-bit groups on one side of the `::` of an address. */
function groupsOf(text: string): readonly number[] {
  if (text === '') return [];
  return text.split(':').flatMap((part) => {
    if (!part.includes('.')) return [Number.parseInt(part, 16)];
    const word = ipv4Word(part);
    return [word >>> 16, word & 0xffff];
  });
}

/** Returns true for 127.0.0.0/8 and ::1, in any spelling. */
export function isLoopbackAddress(text: string): boolean {
  // The last is what Node reports for this machine on a server that listens on `::`.
  if (text === '127.0.0.1' || text === '::1' || text === '::ffff:127.0.0.1') return true;
  const address = parseIpAddress(text);
  if (address === undefined || address[0] !== 0 || address[1] !== 0) return false;
  return address[2] === 0xffff ? address[3] >>> 24 === 127 : address[2] === 0 && address[3] === 1;
}

/** A network: all addresses that share the first `bits` bits with `base`. */
export interface IpNetwork {
  readonly base: IpAddress;
  /** 0–128; an IPv4 prefix of n bits is 96 + n. */
  readonly bits: number;
}

/** Parses `10.0.0.0/8`, `fd00::/8` or a single address. Returns undefined if the text is not a network. */
export function parseIpNetwork(text: string): IpNetwork | undefined {
  const slash = text.indexOf('/');
  const base = parseIpAddress(slash === -1 ? text : text.slice(0, slash));
  if (base === undefined) return undefined;
  if (slash === -1) return { base, bits: 128 };
  const bits = text.slice(slash + 1);
  const width = text.includes(':') ? 128 : 32;
  if (!/^(?:0|[1-9]\d{0,2})$/.test(bits) || Number(bits) > width) return undefined;
  return { base, bits: 128 - width + Number(bits) };
}

/** Whether a text is an address in one of the networks. An undefined address is in none. */
export function isInNetworks(text: string | undefined, networks: readonly IpNetwork[]): boolean {
  if (text === undefined || networks.length === 0) return false;
  const address = parseIpAddress(text);
  return address !== undefined && networks.some((network) => isInNetwork(address, network));
}

/**
 * Returns the key by which the addresses of one customer are counted: an IPv4 address itself, or the /64 of an IPv6
 * address, the smallest network that a customer gets. Text that is not an address is returned unchanged.
 */
export function customerOf(text: string): string {
  const address = parseIpAddress(text);
  if (address === undefined) return text;
  return (address[0] === 0 && address[1] === 0 ? address : address.slice(0, 2)).join('.');
}

/**
 * Returns the keys of the larger networks that one customer may have, the /56 and the /48 of an IPv6 address, each with
 * the number of customers of a /64 that a limit for it allows for. None for other addresses.
 */
export function widerNetworksOf(text: string): readonly { readonly key: string; readonly factor: number }[] {
  const address = parseIpAddress(text);
  if (address === undefined || (address[0] === 0 && address[1] === 0)) return [];
  const [first, second] = address;
  return [
    { key: `${first}.${second >>> 8}/56`, factor: 4 },
    { key: `${first}.${second >>> 16}/48`, factor: 16 },
  ];
}

function isInNetwork(address: IpAddress, network: IpNetwork): boolean {
  for (let word = 0; word < 4; word += 1) {
    const bits = Math.min(32, Math.max(0, network.bits - word * 32));
    if (bits === 0) return true;
    const mask = bits === 32 ? 0xffffffff : (0xffffffff << (32 - bits)) >>> 0;
    if (((address[word] ?? 0) & mask) >>> 0 !== ((network.base[word] ?? 0) & mask) >>> 0) return false;
  }
  return true;
}

/** A host and the port named with it. */
export interface HostPort {
  /** Lower case; an IPv6 address in brackets. */
  readonly host: string;
  /** Undefined if none was named. */
  readonly port: number | undefined;
}

const namePattern = /^[a-z0-9_](?:[a-z0-9_.-]{0,253}[a-z0-9_.])?$/;
const portPattern = /^\d{1,5}$/;
/** Names that the URL standard may refuse or rewrite: they end in a number, or have a label in Punycode. */
const unusualPattern = /(?:^|\.)(?:\d[^.]*\.?$|xn--)/;

/** The host of a request of HTTP/1.0 that names none. It is the name of no machine, not even of this one. */
export const unnamedHost = '0.0.0.0';

/**
 * Parses the host and port of a Host header or authority (RFC 9112 section 3.2, RFC 3986 section 3.2.2). Returns
 * undefined if it is malformed, or if the URL standard refuses it or reads it as another host (`256.1.1.1`, `127.1`).
 * Accepts names of letters, digits, `-`, `_` and dots, IPv4 addresses and bracketed IPv6 addresses; no user information,
 * percent-encoding or list. Takes linear time.
 */
export function parseHost(text: string): HostPort | undefined {
  if (text === lastParsed.text) return lastParsed.host;
  const host = readHost(text);
  lastParsed = { text, host };
  return host;
}

/** The text that was parsed last, since nearly all requests name the same host. Its host follows from the text alone. */
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

/**
 * Returns true for `localhost`, its subdomains and loopback addresses: browsers resolve these to this machine, so no other
 * site's page can make a browser resolve them elsewhere.
 */
export function isLoopbackHost(host: string): boolean {
  if (host === 'localhost' || host.endsWith('.localhost')) return true;
  return isLoopbackAddress(host.startsWith('[') ? host.slice(1, -1) : host);
}
