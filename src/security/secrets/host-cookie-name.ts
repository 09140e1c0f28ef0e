import type { HttpRequest } from '#http';

/** On HTTPS with the prefix by which browsers take a cookie from this very host only (RFC 6265bis section 4.1.3.2). */
export function hostCookieName({ scheme }: Pick<HttpRequest, 'scheme'>, name: string): string {
  return scheme === 'https' ? `__Host-${name}` : name;
}
