import type { HttpRequest } from '#http';
import { hasJson } from '../requests/read-body.js';

/**
 * Whether a redirect to a form would help the client: a browser that goes to a page, or a client that names HTML and
 * no better liked JSON. Scripts (`fetch`, and programs that take anything) get the status that requires a login.
 */
export function wantsPage(request: HttpRequest): boolean {
  if (hasJson(request)) return false;
  const { headers } = request;
  const accept = headers.get('accept') ?? '*/*';
  if (!/\btext\/html\b|\bapplication\/xhtml\+xml\b/i.test(accept))
    return headers.get('sec-fetch-mode') === 'navigate';
  return request.accepts(['text/html', 'application/json']) !== 'application/json';
}
