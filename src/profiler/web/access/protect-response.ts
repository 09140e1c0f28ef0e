import type { HttpResponse } from '#http';

/** Content security policy of responses that are not pages. */
export const dataPolicy = "default-src 'none'; frame-ancestors 'none'";

/**
 * Sets the security headers of every profiler response: no loading beyond `policy`, no framing (except by the profiler's own
 * pages with `SAMEORIGIN`), no content sniffing, no caching, no embedding by other sites, no Referer. There is no CORS
 * header, so no other origin can read the response.
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
