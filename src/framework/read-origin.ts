import type { HttpRequest } from '#http';

/** The origin that was asked for; empty where the request names none that can be read (it is refused then). */
export function readOrigin(request: HttpRequest): string {
  return request.host === '' ? '' : request.origin;
}
