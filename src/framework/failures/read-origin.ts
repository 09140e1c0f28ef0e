import type { HttpRequest } from '#http';

/** The origin that was asked for; empty where the request names none that can be read (it is refused then). */
export function readOrigin(request: HttpRequest): string {
  return request.host === '' ? '' : request.origin;
}

/** What was asked for, whole: a path under its origin; an absolute URL, `*` or a malformed target as it was sent. */
export function readUrlAsSent(request: HttpRequest): string {
  const { target } = request.source;
  return target === '' || target.startsWith('/') ? readOrigin(request) + target : target;
}
