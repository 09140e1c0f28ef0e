import type { HttpRequest } from '#http';
import { hasJson } from '../requests/read-body.js';

/**
 * Returns whether the client can use a redirect to a form: a browser that opens a page, or a client that accepts HTML and
 * does not prefer JSON. Other clients (`fetch`, programs that accept anything) get a status that requires a login.
 */
export function wantsPage(request: HttpRequest): boolean {
  if (hasJson(request)) return false;
  const { headers } = request;
  const accept = headers.get('accept') ?? '*/*';
  if (!/\btext\/html\b|\bapplication\/xhtml\+xml\b/i.test(accept))
    return headers.get('sec-fetch-mode') === 'navigate';
  return request.accepts(['text/html', 'application/json']) !== 'application/json';
}
