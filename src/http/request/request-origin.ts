import { httpErrors } from '../failures/error-codes.js';
import { readForwardedFacts, type TrustPolicy } from '../trust/trust-policy.js';
import { type HostPort, parseHost, unnamedHost } from '../trust/ip-address.js';
import type { RequestHeaders } from '../headers/request-headers.js';
import type { HttpRequest } from './http-request.js';

/** The origin that the client requested, and the client's address. */
export interface RequestOrigin {
  readonly scheme: 'http' | 'https';
  readonly host: string;
  readonly port: number;
  /** The nearest address that is not a trusted proxy's; undefined if the peer's address is unknown. */
  readonly clientAddress: string | undefined;
}

/**
 * Determines the origin from the target's authority or else the Host header, and from forwarding headers only if the
 * peer is a trusted proxy. Throws a coded error if any of these is missing, repeated, malformed or contradictory.
 */
export function readRequestOrigin(request: HttpRequest): RequestOrigin {
  const { peer, headers, trust } = request;
  const named = requestedHost(request);
  const scheme = peer.encrypted ? 'https' : 'http';
  const isProxy = peer.address !== undefined && trust?.isTrustedProxy(peer.address) === true;
  const facts = isProxy ? readForwardedFacts(headers) : undefined;
  const seen = facts?.scheme ?? scheme;
  const namedPort = facts?.host === undefined ? named.port : undefined;
  return {
    scheme: seen,
    host: facts?.host ?? named.host,
    port: facts?.port ?? namedPort ?? defaultPort(seen),
    clientAddress: facts === undefined ? peer.address : clientAddress(peer.address, facts.chain, trust),
  };
}

export function defaultPort(scheme: 'http' | 'https'): number {
  return scheme === 'https' ? 443 : 80;
}

/** Returns the first address, from the nearest hop outward, that is not a trusted proxy's. Stops before a hop that hides its address. */
function clientAddress(
  peer: string | undefined,
  chain: readonly (string | undefined)[],
  trust: TrustPolicy | undefined,
): string | undefined {
  let nearest = peer;
  for (let index = chain.length - 1; index >= 0; index -= 1) {
    const address = chain[index];
    if (address === undefined) return nearest;
    nearest = address;
    if (trust?.isTrustedProxy(address) !== true) return nearest;
  }
  return nearest;
}

function requestedHost({ source, headers, target }: HttpRequest): HostPort {
  const field = headers.get('host');
  const header = field === undefined ? undefined : readHostField(headers, field);
  if (source.authority !== undefined) {
    const authority = readHost(source.authority);
    if (field !== undefined && field !== source.authority) throw malformedHost(field);
    return authority;
  }
  if (header === undefined && source.httpVersion !== '1.0') throw httpErrors.create('HTTP_HOST_MISSING', {});
  if (target.authority !== undefined) return readHost(target.authority);
  return header ?? { host: unnamedHost, port: undefined };
}

/** Detects repeated Host fields by the comma that joins them: no host contains one. */
function readHostField(headers: RequestHeaders, field: string): HostPort {
  const count = field.includes(',') ? headers.count('host') : 1;
  if (count > 1) throw httpErrors.create('HTTP_HOST_REPEATED', { count });
  return readHost(field);
}

function readHost(text: string): HostPort {
  const parsed = parseHost(text);
  if (parsed === undefined) throw malformedHost(text);
  return parsed;
}

function malformedHost(text: string): Error {
  return httpErrors.create('HTTP_HOST_MALFORMED', { host: text.slice(0, 300) });
}
