import type { HttpRequest } from '#http';
import type { MatchContext } from '#routing';

/** What routing is given of a request. */
export function matchContext(request: HttpRequest): MatchContext {
  const { method, path, host, scheme, port } = request;
  return { method, path, host, scheme, port, request };
}
