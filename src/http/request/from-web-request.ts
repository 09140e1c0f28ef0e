import { httpErrors } from '../failures/error-codes.js';
import type { HttpRequestOptions } from './http-request.js';
import { HttpRequest } from './http-request.js';
import { parseIpAddress } from '../trust/ip-address.js';
import type { Peer, RequestBodySource, RequestSource } from '../source/request-source.js';

/** The other end of a connection, for a request that comes without its socket. */
export interface PeerInit {
  /** IP address of the socket's other end; undefined where it is not known. Never taken from a header. */
  readonly address: string | undefined;
  readonly port?: number | undefined;
  /** Whether the bytes came over TLS. Default: whether the request's URL is `https:`. */
  readonly encrypted?: boolean | undefined;
}

/**
 * Our request from the web standard's, without a socket. Without a `peer` it has no address, and nothing that depends on
 * one trusts it. Throws `HTTP_PEER_INVALID` where the peer's address is no IP address.
 */
export function fromWebRequest(
  web: Request,
  options: HttpRequestOptions & { readonly peer?: PeerInit | undefined } = {},
): HttpRequest {
  return new HttpRequest(new WebSource(web, options.peer), options);
}

/** Other runtimes make a request's signal and body when they are asked for: most requests need neither. */
class WebSource implements RequestSource {
  readonly method: string;
  readonly target: string;
  readonly rawHeaders: readonly string[];
  readonly httpVersion = '1.1';
  readonly peer: Peer;
  readonly body: RequestBodySource | undefined;
  readonly #web: Request;

  constructor(web: Request, peer: PeerInit | undefined) {
    this.#web = web;
    this.method = web.method;
    const { protocol, host, target } = partsOf(web.url);
    this.target = target;
    const rawHeaders: string[] = web.headers.has('host') ? [] : ['host', host];
    // oxlint-disable-next-line unicorn/no-array-for-each -- an iterator makes an array of each field
    web.headers.forEach((value, name) => void rawHeaders.push(name, value));
    this.rawHeaders = Object.freeze(rawHeaders);
    this.peer = peerOf(peer, protocol);
    const body = web.method === 'GET' ? null : web.body;
    this.body = body === null ? undefined : { chunks: () => body };
  }

  get signal(): AbortSignal {
    return this.#web.signal;
  }
}

/** Of a URL as a `Request` has it, which is normal already. */
function partsOf(url: string): {
  readonly protocol: string;
  readonly host: string;
  readonly target: string;
} {
  const hostAt = url.startsWith('http://') ? 7 : url.startsWith('https://') ? 8 : -1;
  const pathAt = hostAt === -1 ? -1 : url.indexOf('/', hostAt);
  if (pathAt === -1 || url.includes('#')) {
    const { protocol, host, pathname, search } = new URL(url);
    return { protocol, host, target: pathname + search };
  }
  return {
    protocol: url.slice(0, hostAt - 2),
    host: url.slice(hostAt, pathAt),
    target: url.slice(pathAt),
  };
}

/** Addresses that were found good: the same clients come again and again. */
const validAddresses = new Set<string>();
const maxValidAddresses = 500;

function isAddress(text: string): boolean {
  if (validAddresses.has(text)) return true;
  if (parseIpAddress(text) === undefined) return false;
  if (validAddresses.size < maxValidAddresses) validAddresses.add(text);
  return true;
}

function peerOf(given: PeerInit | undefined, protocol: string): Peer {
  const address = given?.address;
  if (address !== undefined && !isAddress(address))
    throw httpErrors.create('HTTP_PEER_INVALID', { address: address.slice(0, 100) });
  const encrypted = given?.encrypted ?? protocol === 'https:';
  return Object.freeze({ address, port: given?.port ?? 0, encrypted });
}
