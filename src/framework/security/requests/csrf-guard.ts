import { describeForeignOrigin, type HttpRequest } from '#core/http';

export interface CsrfOptions {
  /** Other origins whose pages may send requests, as in `Origin`: `https://accounts.example.org`. */
  readonly trustedOrigins?: readonly string[];
}

/**
 * Returns why a request must be refused: another site's page may have sent it with the visitor's credentials. Checks
 * Sec-Fetch-Site and Origin, which every browser since 2020 sends and no page can forge. A request without them is
 * refused if it carries credentials that browsers send automatically, unless `headersOnly` is set. Safe methods are
 * never refused; the body's content type is not considered.
 */
export type CsrfGuard = (
  request: HttpRequest,
  options?: { readonly headersOnly: boolean },
) => string | undefined;

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'QUERY']);

export function createCsrfGuard(options: CsrfOptions = {}): CsrfGuard {
  const trusted = new Set(options.trustedOrigins ?? []);
  return (request, { headersOnly } = { headersOnly: false }) => {
    const { method, headers } = request;
    if (safeMethods.has(method)) return undefined;
    const origin = headers.get('origin');
    // A trusted origin is allowed whatever Sec-Fetch-Site says: a proxy may have changed the request's scheme or host.
    if (origin !== undefined && trusted.has(origin)) return undefined;
    const site = headers.get('sec-fetch-site');
    if (site !== undefined)
      return site === 'same-origin' || site === 'none' ? undefined : `Sec-Fetch-Site: ${site}`;
    if (origin !== undefined)
      return origin === request.origin ? undefined : describeForeignOrigin(request, origin);
    // Browsers send cookies and cached HTTP basic logins even with other sites' forms.
    const isAmbient = headers.has('cookie') || /^basic /i.test(headers.get('authorization') ?? '');
    if (headersOnly || !isAmbient) return undefined;
    return `it carries a login that browsers send automatically, but has neither Sec-Fetch-Site nor Origin (${request.origin})`;
  };
}
