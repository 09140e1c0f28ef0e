import type { HttpResponse, HttpRequest } from '#core/http';

/** Content security policy for responses other than pages. */
export const dataPolicy = "default-src 'none'; frame-ancestors 'none'";

/**
 * Sets the security headers of every profiler response: no loading beyond `policy`, no framing (except by the
 * profiler's own pages with `SAMEORIGIN`), no content sniffing, no caching, no embedding by other sites, no Referer.
 * There is no CORS header, so other origins cannot read the response.
 */
export function protectResponse(
  response: HttpResponse,
  policy: string = dataPolicy,
  framing: 'DENY' | 'SAMEORIGIN' = 'DENY',
): HttpResponse {
  const { headers } = response;
  headers.set('Content-Security-Policy', policy);
  headers.set('X-Content-Type-Options', 'nosniff');
  headers.set('X-Frame-Options', framing);
  headers.set('Cross-Origin-Resource-Policy', 'same-origin');
  headers.set('Cross-Origin-Opener-Policy', 'same-origin');
  headers.set('Referrer-Policy', 'no-referrer');
  headers.set('Cache-Control', 'no-store');
  return response;
}

/** Returns why a form is refused; undefined if Origin or Sec-Fetch-Site shows that a page from this origin sent it. */
export function foreignForm({ headers, origin: own }: HttpRequest): string | undefined {
  const origin = headers.get('origin');
  const site = headers.get('sec-fetch-site');
  if (origin === undefined && site === undefined) return 'the browser did not say which page sent it';
  return (origin ?? own) === own && (site ?? 'same-origin') === 'same-origin'
    ? undefined
    : 'a page from another origin sent it';
}

/** Returns a request's cookies without the profiler's own. */
export function cookiesOfApplication(header: string): string {
  return header
    .split(/;\s*/)
    .filter((pair) => !pair.startsWith('lookback_') && pair !== '')
    .join('; ');
}
