import type { HttpRequest } from '../request/http-request.js';

/**
 * Describes that a request's `Origin` is not its own, and the possible cause if both have the same host: usually a
 * proxy that does not forward the host or scheme the client used.
 */
export function describeForeignOrigin(request: HttpRequest, origin: string): string {
  const foreign = `foreign origin ${origin.slice(0, 300)}`;
  if (!URL.canParse(origin)) return foreign;
  const [sent, own] = [new URL(origin), new URL(request.origin)];
  if (sent.hostname !== own.hostname) {
    const isForwarded = request.headers.get('x-forwarded-host')?.includes(sent.host) === true;
    return isForwarded ? `${foreign}, the host of an X-Forwarded-Host that ${untrusted}` : foreign;
  }
  if (sent.protocol === own.protocol)
    return `${foreign}, the same host on another port than ${own.origin}: does a proxy send another Host than it received?`;
  const scheme = `${foreign}, the same host over ${sent.protocol.slice(0, -1)}`;
  const claims = request.headers.has('x-forwarded-proto') || request.headers.has('forwarded');
  return claims
    ? `${scheme}, which the fields of a proxy say too, but the proxy ${untrusted}`
    : `${scheme}: does a proxy end TLS? It must send X-Forwarded-Proto, and its address be in TRUSTED_PROXIES`;
}

const untrusted = 'is not in TRUSTED_PROXIES';
