import { refuseUnknownOptions } from '#coded-error';
import type { HttpRequest, TrustPolicy } from '#http';
import { createScopeKey, type ScopeKey } from '#scope';
import { createTrustPolicy, isLoopbackAddress, isLoopbackHost, isProxyField } from '#http';
import { parseHost, readForwardedFacts } from '#http';

/** Clients that may open debug pages, in addition to browsers on this machine. */
export interface AccessOptions {
  /** Allowed values of Host in addition to localhost, *.localhost and loopback addresses: `app.test`, `*.app.test`. */
  readonly hosts?: readonly string[];
  /** Addresses and networks with access in addition to loopback: `10.0.0.7`, `192.168.0.0/16`. */
  readonly peers?: readonly string[];
  /** Origins with access beside the request's own: `http://localhost:5173`; with all other checks. Default: none. */
  readonly origins?: readonly string[];
  /**
   * Whether to accept requests without a valid Host. They are refused with 400 anyway, and a developer who sent one by hand
   * may see why. This is safe: DNS rebinding needs a browser, and no browser sends such a Host. Default: no.
   */
  readonly hostless?: boolean;
}

/** Decision of the guard. The reason is for the log and is not sent to the client. */
export type PageAccess = { readonly allowed: true } | { readonly allowed: false; readonly reason: string };

/** Decides whether a request may see debug output. Never throws; reads only the socket and the headers. */
export type AccessGuard = (request: HttpRequest) => PageAccess;

/**
 * Set in the scope of a request whose client may not see debug output. Requests to neighbouring services that are sent
 * meanwhile carry `forwardedMark`, because the process may forward the request of its client to them.
 */
export const isClientHidden: ScopeKey<true> = createScopeKey<true>('client may not see debug output');

/** A field like those of other proxies, which the guard of the service behind this process refuses. */
export const forwardedMark = 'X-Lookback-Forwarded';

const allowedAccess: PageAccess = { allowed: true };

/**
 * Creates the guard of every debug surface. It requires a loopback peer, a Host that only this machine uses (against DNS
 * rebinding), no sign of an undeclared proxy (HTTP/1.0 is one), and no request by another site. A record's token is a name and grants nothing.
 */
export function createAccessGuard(options: AccessOptions = {}): AccessGuard {
  refuseUnknownOptions('createAccessGuard()', options, 'hosts peers origins hostless');
  const known = createTrustPolicy({ trustedProxies: options.peers ?? [], trustedHosts: options.hosts ?? [] });
  return (request) => {
    try {
      const reason =
        foreignPeer(request, known) ??
        foreignHost(request, known, options) ??
        (isNamedOrigin(request, options)
          ? undefined
          : (foreignSite(request) ?? foreignOrigin(request) ?? foreignReferer(request, known)));
      return reason === undefined ? allowedAccess : { allowed: false, reason };
    } catch {
      return { allowed: false, reason: 'the request could not be read' };
    }
  };
}

function foreignPeer(request: HttpRequest, known: TrustPolicy): string | undefined {
  // No browser sends it, but nginx does to the server behind it, with a local Host and no other sign of itself.
  const { httpVersion } = request.source;
  if (httpVersion !== '1.1' && /^(?:0|1\.0)/.test(httpVersion))
    return 'it was sent with HTTP/1.0, as proxies do';
  const proxied = forwardingField(request);
  if (proxied !== undefined && !isTrustedPeer(request))
    return `it was forwarded (${proxied}) by a proxy that is not trusted`;
  if (proxied !== undefined && !namesClient(request))
    return `it was forwarded (${proxied}) by a proxy that does not name the client's address`;
  // If the request was not forwarded, the peer is the client; `clientAddress` would throw for an invalid Host.
  const client = proxied === undefined ? request.peer.address : request.clientAddress;
  if (client === undefined) return 'its peer is not known';
  return isLoopbackAddress(client) || known.isTrustedProxy(client)
    ? undefined
    : 'its peer is not this machine';
}

/** Returns whether each hop names the address it got the request from. Otherwise a local proxy would pass as the client. */
function namesClient(request: HttpRequest): boolean {
  const { chain = [] } = readForwardedFacts(request.headers) ?? {};
  return chain.length > 0 && !chain.includes(undefined);
}

function isTrustedPeer({ peer, trust }: HttpRequest): boolean {
  return peer.address !== undefined && trust?.isTrustedProxy(peer.address) === true;
}

/** The first field that a proxy has added, by list of header names: the only cache, since names are all that it reads. */
const forwarding = new WeakMap<object, string | null>();

function forwardingField({ headers }: HttpRequest): string | undefined {
  const { places } = headers;
  let found = forwarding.get(places);
  if (found === undefined) {
    found = [...places.keys()].find(isProxyField)?.slice(0, 60) ?? null;
    forwarding.set(places, found);
  }
  return found ?? undefined;
}

function foreignHost(
  request: HttpRequest,
  known: TrustPolicy,
  { hostless = false }: AccessOptions,
): string | undefined {
  try {
    const { host } = request;
    if (isLoopbackHost(host) || known.isAllowedHost(host)) return undefined;
  } catch {
    // The Host is missing or invalid.
  }
  return hostless && namesNoHost(request) ? undefined : 'its Host is not allowed';
}

function namesNoHost({ source, headers }: HttpRequest): boolean {
  if (source.authority !== undefined) return false;
  if (headers.count('host') !== 1) return true;
  return parseHost(headers.get('host') ?? '') === undefined;
}

/** Returns whether Origin is an allowed one. Browsers set it to the origin of the requesting page; scripts cannot change it. */
function isNamedOrigin(request: HttpRequest, { origins = [] }: AccessOptions): boolean {
  return request.headers.count('origin') === 1 && origins.includes(request.headers.get('origin') ?? '');
}

function foreignSite(request: HttpRequest): string | undefined {
  const site = request.headers.get('sec-fetch-site');
  if (site === undefined || site === 'none' || site === 'same-origin') return undefined;
  const navigates =
    request.headers.get('sec-fetch-mode') === 'navigate' &&
    request.headers.get('sec-fetch-dest') === 'document';
  return site === 'same-site' && navigates ? undefined : 'it was requested by another site';
}

function foreignOrigin(request: HttpRequest): string | undefined {
  const origin = request.headers.get('origin');
  return origin === undefined || origin === request.origin ? undefined : 'its Origin is another one';
}

/** The address of the page as the browser knows it, where a proxy sends a local Host. A browser sends addresses of pages. */
function foreignReferer({ headers }: HttpRequest, known: TrustPolicy): string | undefined {
  const referer = headers.get('referer');
  if (referer === undefined) return undefined;
  const [, host] = /^https?:\/\/(?:[^/?#@]*@)?(\[[^\]]*\]|[^/:?#]+)/i.exec(referer) ?? [];
  return host === undefined || isLoopbackHost(host) || known.isAllowedHost(host)
    ? undefined
    : 'its Referer is a page of another site';
}
