import { checkOptions } from '#core/options';
import type { HttpRequest, TrustPolicy } from '#core/http';
import { createScopeKey, type ScopeKey } from '#core/scope';
import { createTrustPolicy, isLoopbackAddress, isLoopbackHost, isProxyField } from '#core/http';
import { parseHost, readForwardedFacts } from '#core/http';
import { type AccessOptions, accessSchema } from './access-options.js';

/**
 * The setting that would let a refused request pass: an option of the guard, the application's trusted proxies, a field
 * missing from the `proxy`, or the `peer` that the caller did not pass.
 */
export type AccessSetting = 'hosts' | 'peers' | 'origins' | 'trustedProxies' | 'proxy' | 'peer';

/** The guard's decision. `reason` is for the log only, never for the client. `setting` names what would allow the request. */
export type PageAccess =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly reason: string; readonly setting?: AccessSetting };

/** Decides whether a request may see debug output. Never throws; reads only the socket and the headers. */
export type AccessGuard = (request: HttpRequest) => PageAccess;

/**
 * Set in the scope of a request whose client may not see debug output. Requests it sends to other services carry
 * `forwardedMark`, because the process may forward its client's request to them.
 */
export const isClientHidden: ScopeKey<true> = createScopeKey<true>('client may not see debug output');

/** Looks like a proxy's header, so that the guard in the service behind this process refuses the request. */
export const forwardedMark = 'X-Lookback-Forwarded';

const allowedAccess: PageAccess = { allowed: true };

/**
 * Creates the guard of every debug surface. It requires a loopback peer, a Host that only this machine uses (against
 * DNS rebinding), and no sign of an undeclared proxy (such as HTTP/1.0). A link on any site may open a page here in a
 * tab, which that site cannot read; all other cross-site requests are refused. A record's token is a name and grants
 * nothing.
 */
export function createAccessGuard(options: AccessOptions = {}): AccessGuard {
  checkOptions('createAccessGuard()', options, accessSchema);
  const known = createTrustPolicy({ trustedProxies: options.peers ?? [], trustedHosts: options.hosts ?? [] });
  return (request) => {
    try {
      return (
        foreignPeer(request, known) ??
        foreignHost(request, known, options) ??
        hiddenProxy(request, known) ??
        (isTopLevelNavigation(request) || isNamedOrigin(request, options)
          ? undefined
          : (foreignSite(request) ?? foreignOrigin(request))) ??
        allowedAccess
      );
    } catch {
      return { allowed: false, reason: 'the request could not be read' };
    }
  };
}

function foreignPeer(request: HttpRequest, known: TrustPolicy): PageAccess | undefined {
  // Not used by browsers, but by nginx towards its backend, with a local Host and no other sign of a proxy.
  const { httpVersion } = request.source;
  if (httpVersion !== '1.1' && /^(?:0|1\.0)/.test(httpVersion))
    return refuse('it was sent with HTTP/1.0, as proxies do', 'trustedProxies');
  const proxied = forwardingField(request);
  if (proxied !== undefined && !isTrustedPeer(request))
    return refuse(`it was forwarded (${proxied}) by a proxy that is not trusted`, 'trustedProxies');
  if (proxied !== undefined && !namesClient(request))
    return refuse(
      `it was forwarded (${proxied}) by a proxy that does not name the client's address`,
      'proxy',
    );
  // If the request was not forwarded, the peer is the client; `clientAddress` would throw for an invalid Host.
  const client = proxied === undefined ? request.peer.address : request.clientAddress;
  if (client === undefined) return refuse('its peer is unknown', 'peer');
  return isLoopbackAddress(client) || known.isTrustedProxy(client)
    ? undefined
    : refuse('its peer is not this machine', 'peers');
}

function refuse(reason: string, setting?: AccessSetting): PageAccess {
  return { allowed: false, reason, ...(setting === undefined ? {} : { setting }) };
}

/**
 * Returns whether every hop names the address it received the request from. Otherwise a local proxy would pass as the
 * client.
 */
function namesClient(request: HttpRequest): boolean {
  const { chain = [] } = readForwardedFacts(request.headers) ?? {};
  return chain.length > 0 && !chain.includes(undefined);
}

function isTrustedPeer({ peer, trust }: HttpRequest): boolean {
  return peer.address !== undefined && trust?.isTrustedProxy(peer.address) === true;
}

/** First header added by a proxy, cached by the list of header names, which is all it depends on. */
const forwarding = new WeakMap<object, string | null>();

function forwardingField({ headers }: HttpRequest): string | undefined {
  const { locations } = headers;
  let found = forwarding.get(locations);
  if (found === undefined) {
    found = [...locations.keys()].find(isProxyField)?.slice(0, 60) ?? null;
    forwarding.set(locations, found);
  }
  return found ?? undefined;
}

function foreignHost(
  request: HttpRequest,
  known: TrustPolicy,
  { hostless = false }: AccessOptions,
): PageAccess | undefined {
  try {
    const { host } = request;
    if (isLoopbackHost(host) || known.isAllowedHost(host)) return undefined;
  } catch {
    // The Host is missing or invalid.
  }
  return hostless && namesNoHost(request) ? undefined : refuse('its Host is not allowed', 'hosts');
}

function namesNoHost({ source, headers }: HttpRequest): boolean {
  if (source.authority !== undefined) return false;
  if (headers.count('host') !== 1) return true;
  return parseHost(headers.get('host') ?? '') === undefined;
}

/** Returns whether Origin is an allowed one. Browsers set it to the requesting page's origin; scripts cannot change it. */
function isNamedOrigin(request: HttpRequest, { origins = [] }: AccessOptions): boolean {
  return request.headers.count('origin') === 1 && origins.includes(request.headers.get('origin') ?? '');
}

/**
 * Returns whether the request loads a whole tab: a link, address or redirect from any site. That site cannot read the
 * page, the page refuses to be framed and severs the opener, and no GET of the profiler changes anything.
 */
function isTopLevelNavigation({ source: { method }, headers }: HttpRequest): boolean {
  return (
    (method === 'GET' || method === 'HEAD') &&
    headers.get('sec-fetch-mode') === 'navigate' &&
    headers.get('sec-fetch-dest') === 'document'
  );
}

function foreignSite({ headers }: HttpRequest): PageAccess | undefined {
  const site = headers.get('sec-fetch-site');
  if (site === undefined || site === 'none' || site === 'same-origin') return undefined;
  return refuse('another site requested it, other than through a link opened in a tab', 'origins');
}

function foreignOrigin(request: HttpRequest): PageAccess | undefined {
  const origin = request.headers.get('origin');
  return origin === undefined || origin === request.origin
    ? undefined
    : refuse('its Origin is a different one', 'origins');
}

/**
 * Detects a proxy that leaves no other trace: if the browser considers this page to belong to another host, the Referer
 * shows that host. Requires `same-origin`, because otherwise the Referer is just any page with a link to this one.
 */
function hiddenProxy({ headers }: HttpRequest, known: TrustPolicy): PageAccess | undefined {
  if (headers.get('sec-fetch-site') !== 'same-origin') return undefined;
  const referer = headers.get('referer');
  if (referer === undefined) return undefined;
  const [, host] = /^https?:\/\/(?:[^/?#@]*@)?(\[[^\]]*\]|[^/:?#]+)/i.exec(referer) ?? [];
  return host === undefined || isLoopbackHost(host) || known.isAllowedHost(host)
    ? undefined
    : refuse(
        'the browser has this page under another host, so there is a proxy in between',
        'trustedProxies',
      );
}
