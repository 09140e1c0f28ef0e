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
    return `${foreign}, the same host as ${own.origin} but another port: does a proxy change the Host header?`;
  const scheme = `${foreign}, the same host over ${sent.protocol.slice(0, -1)}`;
  const claims = request.headers.has('x-forwarded-proto') || request.headers.has('forwarded');
  return claims
    ? `${scheme}, as the proxy's headers confirm, but the proxy ${untrusted}`
    : `${scheme}: does a proxy terminate TLS? It must send X-Forwarded-Proto, and TRUSTED_PROXIES must contain its address`;
}

const untrusted = 'is not in TRUSTED_PROXIES';

/** Whether a page of the request's own host seems to have sent it over another scheme: a proxy hides that it ends TLS. */
export function suspectsProxy(request: HttpRequest): boolean {
  const origin = request.headers.get('origin');
  if (origin === undefined || request.host === '' || !URL.canParse(origin)) return false;
  const [sent, own] = [new URL(origin), new URL(request.origin)];
  return sent.hostname === own.hostname && sent.protocol !== own.protocol;
}
