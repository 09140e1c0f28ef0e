import {
  checkOptions,
  checkValue,
  date,
  flag,
  number,
  oneOf,
  type OptionsSchema,
  optionsSchema,
  text,
  textWith,
} from '#core/options';
import { tokenPattern } from './parameters.js';

/** Parses a Cookie header (RFC 6265 section 5.4) into name → value. The first cookie with a name wins. */
export function parseCookies(header: string): ReadonlyMap<string, string> {
  const cookies = new Map<string, string>();
  for (const pair of header.split(';')) {
    const equals = pair.indexOf('=');
    if (equals === -1) continue;
    const name = pair.slice(0, equals).trim();
    if (name !== '' && !cookies.has(name)) cookies.set(name, decodeValue(pair.slice(equals + 1).trim()));
  }
  return cookies;
}

function decodeValue(value: string): string {
  const bare = value.startsWith('"') && value.endsWith('"') && value.length > 1 ? value.slice(1, -1) : value;
  // Other applications on the host may set any value, so a malformed escape is kept as text and does not throw.
  try {
    return decodeURIComponent(bare);
  } catch {
    return bare;
  }
}

/** Cookie attributes (RFC 6265bis). `maxAge` is in seconds. */
export interface CookieOptions {
  readonly maxAge?: number;
  readonly expires?: Date;
  readonly path?: string;
  readonly domain?: string;
  readonly secure?: boolean;
  readonly httpOnly?: boolean;
  readonly sameSite?: 'Strict' | 'Lax' | 'None';
  /**
   * Whether a browser keeps a separate cookie for each site that embeds this one (CHIPS): cookies in frames of other
   * sites need it, with `secure` and mostly `sameSite: 'None'`. Default false.
   */
  readonly partitioned?: boolean;
}

// Visible ASCII except the semicolon, which ends an attribute, and the comma, which separates joined Set-Cookie fields.
const attributePattern = /^[\x20-\x2b\x2d-\x3a\x3c-\x7e]*$/;
const attributeText = textWith(
  'a string of ASCII characters without a comma, a semicolon or a line break',
  (value) => attributePattern.test(value),
);
const cookiePath = textWith(
  'a path that begins with a slash, of ASCII characters without a comma, a semicolon or a line break',
  (value) => value.startsWith('/') && attributePattern.test(value),
);
const cookieName = textWith('a cookie name (RFC 6265 section 4.1.1)', (value) => tokenPattern.test(value));

/** Cookie options (RFC 6265bis), with their allowed values. */
export const cookieSchema: OptionsSchema<CookieOptions> = optionsSchema<CookieOptions>({
  maxAge: number({ max: Number.MAX_SAFE_INTEGER, unit: 'seconds' }),
  expires: date,
  path: cookiePath,
  domain: attributeText,
  secure: flag,
  httpOnly: flag,
  sameSite: oneOf('Strict', 'Lax', 'None'),
  partitioned: flag,
});

/** Name, equals sign and value (RFC 6265bis section 5.6: 4096 bytes without the sign). */
const maxPairBytes = 4097;

/**
 * Renders a Set-Cookie value; `HttpOnly`, `SameSite=Lax` and `Path=/` by default. The value is percent-encoded. Throws
 * `OPTIONS_UNKNOWN` or `OPTIONS_BAD_VALUE` for a wrong name, value or option, and a TypeError for cookies that browsers
 * reject: `SameSite=None` or `Partitioned` without `Secure`, prefixed names (`__Host-`, `__Secure-`, `__Http-`, in any
 * case) without the attributes they require, and names and values of more than 4,096 bytes together.
 */
export function renderCookie(name: string, value: string, options: CookieOptions = {}): string {
  checkValue('setCookie()', 'name', name, cookieName);
  const location = `setCookie("${name}")`;
  checkOptions(location, options, cookieSchema);
  checkValue(location, 'value', value, text);
  const sameSite = options.sameSite ?? 'Lax';
  assertPromises(name, sameSite, options);
  const pair = `${name}=${encodeURIComponent(value.toWellFormed())}`;
  if (pair.length > maxPairBytes)
    throw new TypeError(
      `The cookie ${name} takes ${pair.length} bytes; browsers keep at most ${maxPairBytes}.`,
    );
  const parts = [pair, `Path=${options.path ?? '/'}`];
  if (options.domain !== undefined) parts.push(`Domain=${options.domain}`);
  if (options.maxAge !== undefined) parts.push(`Max-Age=${Math.trunc(options.maxAge)}`);
  if (options.expires !== undefined) parts.push(`Expires=${options.expires.toUTCString()}`);
  if (options.secure === true) parts.push('Secure');
  if (options.httpOnly !== false) parts.push('HttpOnly');
  parts.push(`SameSite=${sameSite}`);
  if (options.partitioned === true) parts.push('Partitioned');
  return parts.join('; ');
}

function assertPromises(name: string, sameSite: string, options: CookieOptions): void {
  const secure = options.secure === true;
  if (sameSite === 'None' && !secure) {
    throw new TypeError(`The cookie ${name} has SameSite=None, which browsers accept only with Secure.`);
  }
  if (options.partitioned === true && !secure)
    throw new TypeError(`The cookie ${name} is Partitioned, which browsers accept only with Secure.`);
  const prefix = /^__(?:host|secure|http)-/.exec(name.toLowerCase())?.[0]; // browsers ignore case
  if (prefix === '__host-' && (!secure || (options.path ?? '/') !== '/' || options.domain !== undefined)) {
    throw new TypeError(`The cookie ${name} must be Secure, with Path=/ and no Domain.`);
  }
  if (prefix !== undefined && !secure) throw new TypeError(`The cookie ${name} must be Secure.`);
  if (/^__(?:host-)?http-/i.test(name) && options.httpOnly === false)
    throw new TypeError(`The cookie ${name} must be HttpOnly.`);
}
