import type { HttpRequest } from '#http';

export interface CsrfOptions {
  /**
   * Other origins whose pages may send requests, e.g. `https://accounts.example.org`. Must be equal to the `Origin`
   * header.
   */
  readonly trustedOrigins?: readonly string[];
}

export interface CsrfVerdict {
  readonly allowed: boolean;
  /** Reason for the verdict, for records. */
  readonly reason: string;
}

/**
 * Distinguishes requests from pages of this site from requests that a page of another site sends with the visitor's
 * credentials.
 */
export interface CsrfGuard {
  /**
   * Checks Sec-Fetch-Site and Origin, which every browser since 2020 sends and no page can forge. A request without them
   * is allowed if it carries no credentials that browsers send automatically. Safe methods are always allowed; the
   * content type of the body is not considered.
   */
  check(request: HttpRequest): CsrfVerdict;
  /** Checks only these headers: a request without them does not come from a browser and is allowed. */
  checkHeaders(request: HttpRequest): CsrfVerdict;
}

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'QUERY']);

export function createCsrfGuard(options: CsrfOptions = {}): CsrfGuard {
  const trusted = new Set(options.trustedOrigins ?? []);
  return {
    check: (request) =>
      checkHeaders(request, trusted) ??
      (carriesAmbientCredentials(request)
        ? refused(
            `it brings a login that browsers send automatically, but neither Sec-Fetch-Site nor Origin (${request.origin})`,
          )
        : noCredentials),
    checkHeaders: (request) => checkHeaders(request, trusted) ?? noCredentials,
  };
}

const noCredentials: CsrfVerdict = {
  allowed: true,
  reason: 'no credentials that browsers send automatically',
};

function checkHeaders(request: HttpRequest, trusted: ReadonlySet<string>): CsrfVerdict | undefined {
  if (safeMethods.has(request.method)) return { allowed: true, reason: `${request.method} changes nothing` };
  const origin = request.headers.get('origin');
  // A trusted origin is allowed whatever Sec-Fetch-Site says: a proxy may have changed the scheme or host of the request.
  if (origin !== undefined && trusted.has(origin))
    return { allowed: true, reason: `trusted origin ${origin}` };
  const site = request.headers.get('sec-fetch-site');
  if (site === 'same-origin' || site === 'none') return { allowed: true, reason: `Sec-Fetch-Site: ${site}` };
  if (site !== undefined) return refused(`Sec-Fetch-Site: ${site}`);
  if (origin === undefined) return undefined;
  return origin === request.origin
    ? { allowed: true, reason: 'own origin' }
    : refused(`foreign origin ${origin}`);
}

function carriesAmbientCredentials({ headers }: HttpRequest): boolean {
  // Browsers send cookies and cached HTTP basic logins also with forms of other sites.
  return headers.has('cookie') || /^basic /i.test(headers.get('authorization') ?? '');
}

function refused(reason: string): CsrfVerdict {
  return { allowed: false, reason };
}
