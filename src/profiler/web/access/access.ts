import { NameLists } from '#dump';
import type { HttpRequest, TrustPolicy } from '#http';
import { createTrustPolicy, isLoopbackAddress, isLoopbackHost, parseHost, readForwardedFacts } from '#http';

/** Clients that may open debug pages, in addition to browsers on this machine. */
export interface AccessOptions {
  /** Allowed values of Host in addition to localhost, *.localhost and loopback addresses: `app.test`, `*.app.test`. */
  readonly hosts?: readonly string[];
  /** Addresses and networks with access in addition to loopback: `10.0.0.7`, `192.168.0.0/16`. */
  readonly peers?: readonly string[];
  /**
   * Origins with access in addition to the request's own: `http://localhost:5173`. All other checks apply to them too.
   * Default: none.
   */
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

/** Header fields that proxies, load balancers and content delivery networks add to forwarded requests. */
const forwardingHeaders: ReadonlySet<string> = new Set(
  (
    'forwarded via cdn-loop x-forwarded x-forwarded-for x-forwarded-host x-forwarded-proto x-forwarded-protocol ' +
    'x-forwarded-port x-forwarded-server x-forwarded-scheme x-forwarded-ssl x-forwarded-by x-forwarded-prefix ' +
    'x-forwarded-client-cert x-original-forwarded-for x-original-host x-original-proto x-real-ip x-client-ip ' +
    'x-cluster-client-ip x-proxyuser-ip x-remote-ip x-remote-addr x-originating-ip x-true-client-ip true-client-ip ' +
    'client-ip proxy-client-ip wl-proxy-client-ip x-url-scheme front-end-https ' +
    'cf-connecting-ip cf-connecting-ipv6 cf-ray cf-visitor fastly-client-ip fly-client-ip fly-forwarded-port ' +
    'x-envoy-external-address x-envoy-internal x-amzn-trace-id x-amz-cf-id cloudfront-viewer-address ' +
    'x-azure-clientip x-azure-socketip x-azure-fdid x-arr-ssl x-appengine-user-ip x-cloud-trace-context ' +
    'x-vercel-forwarded-for x-nf-client-connection-ip do-connecting-ip x-sucuri-clientip incap-client-ip ' +
    'ali-cdn-real-ip akamai-origin-hop'
  ).split(' '),
);
const allowedAccess: PageAccess = { allowed: true };

/**
 * Creates the guard of every debug surface. It requires a loopback peer, a Host that only this machine uses (against DNS
 * rebinding), no sign of an undeclared proxy, and no request by another site. A record's token is a name and grants nothing.
 */
export function createAccessGuard(options: AccessOptions = {}): AccessGuard {
  const known = createTrustPolicy({ trustedProxies: options.peers ?? [], trustedHosts: options.hosts ?? [] });
  return (request) => {
    try {
      const reason =
        foreignPeer(request, known) ??
        foreignHost(request, known, options) ??
        (isNamedOrigin(request, options) ? undefined : (foreignSite(request) ?? foreignOrigin(request)));
      return reason === undefined ? allowedAccess : { allowed: false, reason };
    } catch {
      return { allowed: false, reason: 'the request could not be read' };
    }
  };
}

function foreignPeer(request: HttpRequest, known: TrustPolicy): string | undefined {
  const proxied = forwarding.of(request.headers.raw).name;
  const trusted = isTrustedPeer(request);
  if (proxied !== undefined && !trusted)
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

/** The first field that a proxy has added, by list of header names. */
const forwarding = new NameLists((names) => ({
  name: names.map((name) => name.toLowerCase()).find((name) => forwardingHeaders.has(name)),
}));

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
