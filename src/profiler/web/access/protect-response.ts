import type { HttpResponse } from '#http';

/** The policy of answers that hold no page. */
export const dataPolicy = "default-src 'none'; frame-ancestors 'none'";

/**
 * The headers of every answer of the profiler: nothing is loaded, framed (but by our own list), sniffed, cached, embedded
 * by another site or disclosed to one by a Referer. There is no CORS header, so no other origin can read it.
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
