import { type OptionNames, optionNames } from '#coded-error';
import type { HttpRequest } from '#http';
import { HostCookie, equalSecrets, randomToken, type Signer } from '../secrets/signed-cookies.js';
import { readBodyField } from './request-conditions.js';

export interface CsrfOptions {
  /**
   * Other origins whose pages may send requests, e.g. `https://accounts.example.org`. Must be equal to the `Origin`
   * header.
   */
  readonly trustedOrigins?: readonly string[];
}

export const csrfOptionNames: OptionNames<CsrfOptions> = optionNames('trustedOrigins');

/** The form field and the header with the token, and the cookie that it is compared with. */
const csrfField = '_csrf';
const csrfHeader = 'X-CSRF-Token';
const csrfCookie = new HostCookie('csrf');

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
  /** Checks a request. Safe methods are always allowed; for the others see docs/security.md. */
  check(request: HttpRequest): CsrfVerdict | Promise<CsrfVerdict>;
  /**
   * Checks only the headers in which browsers send the origin of a request. A request without them does not come from a
   * browser and is allowed.
   */
  checkHeaders(request: HttpRequest): CsrfVerdict;
  /**
   * Returns a token for a form, and the Set-Cookie value that must be sent with it. Reuses the token of a valid cookie.
   */
  issue(request: HttpRequest): { token: string; cookie: string };
}

/** Returns a text that binds a CSRF token to a login, derived from the session id; empty if there is no login. */
type CsrfBinding = (request: HttpRequest) => string;

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'QUERY']);
const csrfPurpose = 'csrf';

/**
 * Checks, in this order: Sec-Fetch-Site and Origin, which a page cannot forge and every browser since 2020 sends; then a
 * token in the form (or a header) that must equal a signed cookie. A request with none of these headers, and without
 * cookies and basic login, carries no credentials that another site could misuse, and is allowed. The content
 * type of the body is not considered.
 */
export function createCsrfGuard(signer: Signer, binding: CsrfBinding, options: CsrfOptions = {}): CsrfGuard {
  const trusted = new Set(options.trustedOrigins ?? []);
  const isValidToken = (request: HttpRequest, token: string): boolean => {
    const dot = token.indexOf('.');
    return (
      dot > 0 &&
      signer.verify(csrfPurpose, `${binding(request)}:${token.slice(0, dot)}`, token.slice(dot + 1))
    );
  };
  return {
    check(request) {
      const byHeaders = checkHeaders(request, trusted);
      if (byHeaders !== undefined) return byHeaders;
      if (!carriesAmbientCredentials(request)) return noCredentials;
      const held = csrfCookie.read(request);
      if (held === undefined || !isValidToken(request, held))
        return refused(
          `it brings a login that browsers send automatically, but neither Sec-Fetch-Site, Origin (${request.origin}) nor a CSRF token`,
        );
      const sent = request.headers.get(csrfHeader);
      if (sent !== undefined) return compareTokens(held, sent);
      return readBodyField(request, csrfField).then((value) => compareTokens(held, value));
    },
    checkHeaders: (request) => checkHeaders(request, trusted) ?? noCredentials,
    issue(request) {
      const current = csrfCookie.read(request);
      const nonce = randomToken(18);
      const token =
        current !== undefined && isValidToken(request, current)
          ? current
          : `${nonce}.${signer.sign(csrfPurpose, `${binding(request)}:${nonce}`)}`;
      return { token, cookie: csrfCookie.render(request, token) };
    },
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

function compareTokens(cookie: string, sent: string | undefined): CsrfVerdict {
  if (sent === undefined) return refused('no CSRF token');
  return equalSecrets(cookie, sent) ? { allowed: true, reason: 'CSRF token' } : refused('wrong CSRF token');
}

function refused(reason: string): CsrfVerdict {
  return { allowed: false, reason };
}
