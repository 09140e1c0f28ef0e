import type { HttpRequest } from '#http';

/** The credentials of an Authorization header of this scheme (RFC 9110 section 11.4); the scheme's case does not matter. */
export function readAuthorization(request: HttpRequest, scheme: string): string | undefined {
  const values = request.headers.getAll('authorization');
  const [value] = values;
  if (value === undefined || values.length > 1) return undefined; // which of several was meant is unknown
  const space = value.indexOf(' ');
  if (space === -1 || value.slice(0, space).toLowerCase() !== scheme.toLowerCase()) return undefined;
  return value.slice(space + 1).trim();
}

/** A quoted-string of a header; what cannot stand in one is left out. */
export function quoteHeader(text: string): string {
  return `"${text.replace(/[^\x20-\x7e]/g, '').replace(/["\\]/g, '\\$&')}"`;
}
