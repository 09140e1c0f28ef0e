import type { CookieOptions, HttpRequest, HttpResponse } from '#http';
import { securityErrors } from '../errors/error-codes.js';
import { createSigner } from './signer.js';

export interface SignedCookiesOptions {
  /** Secret for signing values: at least 32 random characters. Of several, the first signs and all verify. */
  readonly secret: string | readonly string[];
  /** Seconds until a value is no longer accepted, even if the browser still sends it. Default 2,592,000: thirty days. */
  readonly lifetimeSeconds?: number;
}

export interface SignedCookie extends Omit<CookieOptions, 'maxAge' | 'expires'> {
  readonly name: string;
  readonly value: string;
  /** Seconds until the value expires. Default: the lifetime passed to `createSignedCookies`. */
  readonly lifetimeSeconds?: number;
}

/**
 * Cookies that the client can read but not change. A value is bound to the name of its cookie and to its expiry time. It is
 * not secret, and an earlier value can be sent again until it expires: store sensitive data in the session.
 */
export interface SignedCookies {
  /** Returns the value if the signature is valid and the value has not expired; otherwise undefined. */
  get(request: HttpRequest, name: string): string | undefined;
  /**
   * Sets the cookie, by default with `HttpOnly`, `SameSite=Lax`, `Path=/` and, on HTTPS, `Secure`. Throws
   * `SECURITY_COOKIE_TOO_BIG`.
   */
  set(request: HttpRequest, response: HttpResponse, cookie: SignedCookie): void;
  /** Removes the cookie. Path and domain must be the same as when it was set. */
  remove(
    request: HttpRequest,
    response: HttpResponse,
    cookie: CookieOptions & Pick<SignedCookie, 'name'>,
  ): void;
}

/** Maximum size of a cookie that browsers must store, including its name (RFC 6265 section 6.1). */
const maxCookieBytes = 4096;

export function createSignedCookies(options: SignedCookiesOptions): SignedCookies {
  const signer = createSigner(options.secret, 'createSignedCookies');
  const lifetime = options.lifetimeSeconds ?? 2_592_000;
  return {
    get(request, name) {
      const text = request.cookies.get(name) ?? '';
      const [, signed = '', end, value = '', signature = ''] =
        /^((\d{1,15})\.([\w-]*))\.([\w-]{43})$/.exec(text) ?? [];
      if (!signer.verify(purposeOf(name), signed, signature) || Number(end) <= Date.now()) return undefined;
      return Buffer.from(value, 'base64url').toString();
    },
    set(request, response, { name, value, lifetimeSeconds: maxAge = lifetime, ...more }) {
      const signed = `${Date.now() + maxAge * 1000}.${Buffer.from(value).toString('base64url')}`;
      const text = `${signed}.${signer.sign(purposeOf(name), signed)}`;
      const bytes = name.length + text.length + 1;
      if (bytes > maxCookieBytes)
        throw securityErrors.create('SECURITY_COOKIE_TOO_BIG', { name, bytes, limit: maxCookieBytes });
      response.setCookie(name, text, { secure: request.scheme === 'https', ...more, maxAge });
    },
    remove(request, response, { name, ...more }) {
      response.clearCookie(name, { secure: request.scheme === 'https', ...more });
    },
  };
}

/** Returns the signing purpose for a cookie, so that its value is not valid in another cookie. */
function purposeOf(name: string): string {
  return `cookie ${name}`;
}
