import type { HttpRequest } from '#http';

/**
 * Returns the credentials of an Authorization header with this scheme (RFC 9110 section 11.4); the scheme is
 * case-insensitive.
 */
export function readAuthorization(request: HttpRequest, scheme: string): string | undefined {
  const values = request.headers.getAll('authorization');
  const [value] = values;
  if (value === undefined || values.length > 1) return undefined; // several headers are ambiguous
  const space = value.indexOf(' ');
  if (space === -1 || value.slice(0, space).toLowerCase() !== scheme.toLowerCase()) return undefined;
  return value.slice(space + 1).trim();
}

/** Renders a quoted-string for a header; omits characters that are not allowed in one. */
export function quoteHeader(text: string): string {
  return `"${text.replace(/[^\x20-\x7e]/g, '').replace(/["\\]/g, '\\$&')}"`;
}
