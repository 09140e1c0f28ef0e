import { parseBasePath } from '#core/routing';
import { httpErrors } from '../failures/error-codes.js';
import { parseForwarded } from '../headers/parameters.js';
import type { RequestHeaders } from '../headers/request-headers.js';
import { type IpNetwork, isInNetworks, parseIpAddress, parseIpNetwork, parseHost } from './ip-address.js';

/** The proxies and hosts that the service trusts. Fixed at startup. */
export interface TrustPolicy {
  /** Whether this peer's forwarding headers are trusted. */
  isTrustedProxy(address: string): boolean;
  /** Whether this host name (lower case, no port, IPv6 in brackets) is allowed. */
  isAllowedHost(host: string): boolean;
  /** Whether hosts are configured. If not, the client chooses a request's host. */
  readonly namesHosts: boolean;
  /** Path below which the application is served, without a trailing slash. Absent if there is none. */
  readonly basePath?: string;
}

interface TrustPolicyOptions {
  /**
   * Proxies whose forwarding headers are trusted: `10.0.0.0/8`, `::1`, `loopback`, `linklocal`, `private`. Default:
   * none.
   */
  readonly trustedProxies?: readonly string[];
  /**
   * Allowed hosts: `example.com`, `*.example.com` (names below it), an address, or `*`. Default: every well-formed
   * host.
   */
  readonly trustedHosts?: readonly string[] | undefined;
  /** Path below which the application is served: `/app`. Default: none. */
  readonly basePath?: string | undefined;
}

const networksByName: ReadonlyMap<string, readonly string[]> = new Map([
  ['loopback', ['127.0.0.0/8', '::1']],
  ['linklocal', ['169.254.0.0/16', 'fe80::/10']],
  ['private', ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7', '127.0.0.0/8', '::1']],
]);

/** Creates a trust policy. Throws `HTTP_TRUST_MALFORMED`, which names the malformed entry. */
export function createTrustPolicy(options: TrustPolicyOptions = {}): TrustPolicy {
  const networks = (options.trustedProxies ?? []).flatMap(parseProxy);
  const basePath = readBasePath(options.basePath ?? '');
  const isAllowedHost =
    options.trustedHosts === undefined ? (): boolean => true : createHostCheck(options.trustedHosts);
  return {
    isTrustedProxy: (address) => isInNetworks(address, networks),
    isAllowedHost,
    namesHosts: options.trustedHosts !== undefined,
    basePath,
  };
}

function readBasePath(text: string): string {
  const path = typeof text === 'string' ? parseBasePath(text) : undefined; // JavaScript may pass other types
  if (path !== undefined) return path;
  throw httpErrors.create('HTTP_TRUST_MALFORMED', {
    setting: 'basePath',
    value: String(text).slice(0, 100),
    reason: 'not a path, or has an empty segment, a dot segment, a comma or a semicolon',
    takes: 'a path such as /app, percent-encoded where needed',
  });
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
    else exact.add(parsed.host).add(canonicalHost(parsed.host)); // both spellings: a name is then found as written with one lookup
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
  return address === undefined ? host : String(address);
}

function badHost(entry: string): Error {
  return httpErrors.create('HTTP_TRUST_MALFORMED', {
    setting: 'trustedHosts',
    value: entry,
    reason: 'not a host name',
    takes: 'host names without a port, wildcards such as *.example.org, addresses, or * for any',
  });
}

/** The client's original request, as reported by proxies. Undefined properties were not reported. */
interface ForwardedFacts {
  /** Addresses from the client to the nearest proxy; `undefined` for a hop that hides its address. */
  readonly chain: readonly (string | undefined)[];
  readonly scheme: 'http' | 'https' | undefined;
  readonly host: string | undefined;
  readonly port: number | undefined;
  /** The prefix that the proxy has removed from the path: `/app`. */
  readonly prefix: string | undefined;
}

const maxHops = 50;

/**
 * Reads Forwarded (RFC 7239) and X-Forwarded-For, -Proto, -Host, -Port and -Prefix. Call it only if the peer is a
 * trusted proxy. Throws `HTTP_FORWARDED_MALFORMED`, and `HTTP_FORWARDED_CONFLICT` if the two families or repeated
 * values contradict each other: guessing which one the proxy wrote would let a client choose.
 */
export function readForwardedFacts(headers: RequestHeaders): ForwardedFacts | undefined {
  const standard = standardFacts(headers);
  const common = commonFacts(headers);
  if (standard === undefined || common === undefined) return standard ?? common;
  agree('client', standard.chain.join(' '), common.chain.join(' '));
  agree('scheme', standard.scheme, common.scheme);
  agree('host', standard.host, common.host);
  agree('port', standard.port, common.port);
  return {
    chain: standard.chain.length > 0 ? standard.chain : common.chain,
    scheme: standard.scheme ?? common.scheme,
    host: standard.host ?? common.host,
    port: standard.port ?? common.port,
    prefix: common.prefix,
  };
}

function agree(subject: string, left: string | number | undefined, right: string | number | undefined): void {
  if (left === undefined || right === undefined || left === '' || right === '' || left === right) return;
  throw httpErrors.create('HTTP_FORWARDED_CONFLICT', { subject, left: cut(left), right: cut(right) });
}

function standardFacts(headers: RequestHeaders): ForwardedFacts | undefined {
  const header = headers.get('forwarded');
  if (header === undefined) return undefined;
  const elements = parseForwarded(header);
  if (elements === undefined || elements.length > maxHops) throw malformed(header);
  const valuesOf = (name: string): string[] => elements.flatMap((element) => element.get(name) ?? []);
  return { ...readFacts(valuesOf('for'), valuesOf('proto'), valuesOf('host')), prefix: undefined };
}

function commonFacts(headers: RequestHeaders): ForwardedFacts | undefined {
  const valuesOf = (name: string): string[] => list(headers, `x-forwarded-${name}`);
  const values = [valuesOf('for'), valuesOf('proto'), valuesOf('host'), valuesOf('port')] as const;
  const prefix = readForwardedPrefix(headers);
  if (prefix === undefined && values.every(({ length }) => length === 0)) return undefined;
  return { ...readFacts(...values), prefix };
}

/**
 * Reads X-Forwarded-Prefix: the prefix that a proxy has removed from the path, without a trailing slash. Undefined if
 * none was removed. Call it only if the peer is a trusted proxy. Throws like `readForwardedFacts`.
 */
export function readForwardedPrefix(headers: RequestHeaders): string | undefined {
  const header = headers.get('x-forwarded-prefix');
  if (header === undefined || header.trim() === '') return undefined;
  const prefix = single('prefix', list(headers, 'x-forwarded-prefix').map(parsePrefix));
  return prefix === '' ? undefined : prefix;
}

function readFacts(
  chain: readonly string[],
  schemes: readonly string[],
  hosts: readonly string[],
  ports: readonly string[] = [],
): Omit<ForwardedFacts, 'prefix'> {
  const text = single('host', hosts);
  const named = text === undefined ? undefined : parseHost(text);
  if (text !== undefined && named === undefined) throw malformed(text);
  const port = single('port', ports.map(parsePort));
  agree('port', named?.port, port);
  return {
    chain: chain.map(parseNode),
    scheme: single('scheme', schemes.map(parseScheme)),
    host: named?.host,
    port: named?.port ?? port,
  };
}

function list(headers: RequestHeaders, name: string): string[] {
  const header = headers.get(name);
  if (header === undefined) return [];
  const values = header.split(',').map((value) => value.trim());
  if (values.length > maxHops || values.includes('')) throw malformed(header);
  return values;
}

/** Returns the value on which all hops agree. Throws `HTTP_FORWARDED_CONFLICT` if they differ. */
function single<Value extends string | number>(subject: string, values: readonly Value[]): Value | undefined {
  for (const value of values) agree(subject, values[0], value);
  return values[0];
}

function parseNode(node: string): string | undefined {
  if (node === 'unknown' || /^_[A-Za-z0-9._-]{1,100}$/.test(node)) return undefined;
  if (parseIpAddress(node) !== undefined) return node;
  const withPort = parseHost(node);
  if (withPort === undefined) throw malformed(node);
  const address = withPort.host.startsWith('[') ? withPort.host.slice(1, -1) : withPort.host;
  if (parseIpAddress(address) === undefined) throw malformed(node);
  return address;
}

function parseScheme(value: string): 'http' | 'https' {
  const scheme = value.toLowerCase();
  if (scheme !== 'http' && scheme !== 'https') throw malformed(value);
  return scheme;
}

function parsePort(value: string): number {
  if (!/^\d{1,5}$/.test(value) || Number(value) > 65_535) throw malformed(value);
  return Number(value);
}

function parsePrefix(value: string): string {
  const path = parseBasePath(value);
  if (path === undefined) throw malformed(value);
  return path;
}

function malformed(value: string): Error {
  return httpErrors.create('HTTP_FORWARDED_MALFORMED', { value: cut(value) });
}

function cut(value: string | number): string {
  return String(value).slice(0, 200);
}
