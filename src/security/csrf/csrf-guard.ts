import type { HttpRequest } from '#http';
import { equalSecrets, randomToken } from '../secrets/random-token.js';
import type { Signer } from '../secrets/signer.js';
import { readBodyField } from '../requests/read-body.js';
import { HostCookie } from '../secrets/host-cookie.js';

export interface CsrfOptions {
  /** Other origins whose pages may post here, e.g. `https://accounts.example.org`. Compared whole. */
  readonly trustedOrigins?: readonly string[];
  /** Form field with the token. Default `_csrf`. */
  readonly field?: string;
  /** Header with the token. Default `X-CSRF-Token`. */
  readonly header?: string;
  /** Cookie that the token is held against; over HTTPS with the prefix `__Host-`. Default `csrf`. */
  readonly cookie?: string;
}

export interface CsrfVerdict {
  readonly allowed: boolean;
  /** What decided, for records. */
  readonly reason: string;
}

/** Distinguishes requests that a page of this site made from those that a stranger's page made in the visitor's name. */
export interface CsrfGuard {
  /** Safe methods are always allowed; for the others see docs/security.md. */
  check(request: HttpRequest): CsrfVerdict | Promise<CsrfVerdict>;
  /** Looks only at what browsers say of the page; who says nothing is a program, and passes. */
  checkHeaders(request: HttpRequest): CsrfVerdict;
  /** A token for a form, and the Set-Cookie value that has to go with it. The same for every call in one request. */
  issue(request: HttpRequest): { token: string; cookie: string };
}

/** What binds a token to a login: the id of the session, or nothing. */
export type CsrfBinding = (request: HttpRequest) => string;

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'QUERY']);
const csrfPurpose = 'csrf';

/**
 * The order of proof: Sec-Fetch-Site and Origin, which a page cannot forge and every browser since 2020 sends; else
 * a token in the form (or a header) that equals a signed cookie. A client that sends none of these headers and
 * neither cookies nor a basic login nor a certificate is no browser that could be misled, and passes. What type the body claims to have decides nothing.
 */
export function createCsrfGuard(signer: Signer, binding: CsrfBinding, options: CsrfOptions = {}): CsrfGuard {
  const trusted = new Set(options.trustedOrigins ?? []);
  const field = options.field ?? '_csrf';
  const header = options.header ?? 'X-CSRF-Token';
  const cookie = new HostCookie(options.cookie ?? 'csrf');
  const isOurs = (request: HttpRequest, token: string): boolean => {
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
      const held = cookie.read(request);
      if (held === undefined || !isOurs(request, held))
        return refused(
          `it brings a login that browsers send automatically, but neither Sec-Fetch-Site, Origin (${request.origin}) nor a CSRF token`,
        );
      const sent = request.headers.get(header);
      if (sent !== undefined) return compareTokens(held, sent);
      return readBodyField(request, field).then((value) => compareTokens(held, value));
    },
    checkHeaders: (request) => checkHeaders(request, trusted) ?? noCredentials,
    issue(request) {
      const current = cookie.read(request);
      const nonce = randomToken(18);
      const token =
        current !== undefined && isOurs(request, current)
          ? current
          : `${nonce}.${signer.sign(csrfPurpose, `${binding(request)}:${nonce}`)}`;
      return { token, cookie: cookie.render(request, token) };
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
  // A proxy may have changed the scheme or host that we see: a trusted origin passes whatever the browser says of it.
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

function carriesAmbientCredentials({ headers, peer }: HttpRequest): boolean {
  // Browsers send cookies, cached HTTP basic logins and certificates with a stranger's form as well.
  if (peer.certificate !== undefined) return true;
  return headers.has('cookie') || /^basic /i.test(headers.get('authorization') ?? '');
}

function compareTokens(cookie: string, sent: string | undefined): CsrfVerdict {
  if (sent === undefined) return refused('no CSRF token');
  return equalSecrets(cookie, sent) ? { allowed: true, reason: 'CSRF token' } : refused('wrong CSRF token');
}

function refused(reason: string): CsrfVerdict {
  return { allowed: false, reason };
}
