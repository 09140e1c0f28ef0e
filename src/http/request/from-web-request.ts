import { httpErrors } from '../failures/error-codes.js';
import type { HttpRequestOptions } from './http-request.js';
import { HttpRequest } from './http-request.js';
import { parseIpAddress } from '../trust/ip-address.js';
import type { Peer } from '../source/request-source.js';

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
  const url = new URL(web.url);
  const rawHeaders: string[] = web.headers.has('host') ? [] : ['host', url.host];
  for (const [name, value] of web.headers) rawHeaders.push(name, value);
  const body = web.body;
  return new HttpRequest(
    {
      method: web.method,
      target: url.pathname + url.search,
      rawHeaders: Object.freeze(rawHeaders),
      httpVersion: '1.1',
      peer: peerOf(options.peer, url),
      body: body === null ? undefined : { chunks: () => body },
      signal: web.signal,
    },
    options,
  );
}

function peerOf(given: PeerInit | undefined, url: URL): Peer {
  const address = given?.address;
  if (address !== undefined && parseIpAddress(address) === undefined)
    throw httpErrors.create('HTTP_PEER_INVALID', { address: address.slice(0, 100) });
  const encrypted = given?.encrypted ?? url.protocol === 'https:';
  return Object.freeze({ address, port: given?.port ?? 0, encrypted });
}
