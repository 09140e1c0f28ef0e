/** Attributes of a cookie (RFC 6265bis). `maxAge` is in seconds. */
export interface CookieOptions {
  readonly maxAge?: number;
  readonly expires?: Date;
  readonly path?: string;
  readonly domain?: string;
  readonly secure?: boolean;
  readonly httpOnly?: boolean;
  readonly sameSite?: 'Strict' | 'Lax' | 'None';
}

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const ATTRIBUTE = /^[\x20-\x3a\x3c-\x7e]*$/;

/** A Set-Cookie value; `HttpOnly`, `SameSite=Lax` and `Path=/` unless said otherwise. Throws a TypeError on text that could end the attribute. */
export function renderCookie(name: string, value: string, options: CookieOptions = {}): string {
  if (!NAME.test(name)) throw new TypeError(`"${name}" is no cookie name (RFC 6265 section 4.1.1).`);
  const parts = [`${name}=${encodeURIComponent(value)}`, attribute('Path', options.path ?? '/')];
  if (options.domain !== undefined) parts.push(attribute('Domain', options.domain));
  if (options.maxAge !== undefined) parts.push(attribute('Max-Age', String(Math.trunc(options.maxAge))));
  if (options.expires !== undefined) parts.push(attribute('Expires', options.expires.toUTCString()));
  if (options.secure === true) parts.push('Secure');
  if (options.httpOnly !== false) parts.push('HttpOnly');
  parts.push(attribute('SameSite', options.sameSite ?? 'Lax'));
  return parts.join('; ');
}

function attribute(name: string, value: string): string {
  if (!ATTRIBUTE.test(value))
    throw new TypeError(`The cookie attribute ${name} holds a character it cannot carry.`);
  return `${name}=${value}`;
}
