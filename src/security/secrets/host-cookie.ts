import { type CookieOptions, type HttpRequest, renderCookie } from '#http';

/** On HTTPS with the prefix by which browsers take a cookie from this very host only (RFC 6265bis section 4.1.3.2). */
export function hostCookieName({ scheme }: Pick<HttpRequest, 'scheme'>, name: string): string {
  return scheme === 'https' ? `__Host-${name}` : name;
}

/** A cookie of security's own: `Secure` on HTTPS, and bound to this very host there, unless a domain or a path is set. */
export class HostCookie {
  readonly #name: string;
  readonly #attributes: CookieOptions;

  constructor(name: string, attributes: CookieOptions = {}) {
    this.#name = name;
    this.#attributes = attributes;
  }

  /** The value; undefined where the request carries no such cookie. */
  read(request: HttpRequest): string | undefined {
    return request.cookies.get(this.#nameFor(request));
  }

  /** The Set-Cookie value. */
  render(request: HttpRequest, value: string, more: CookieOptions = {}): string {
    const attributes = { ...this.#attributes, secure: request.scheme === 'https', ...more };
    return renderCookie(this.#nameFor(request), value, attributes);
  }

  /** The Set-Cookie value that removes the cookie. */
  renderRemoval(request: HttpRequest): string {
    return this.render(request, '', { maxAge: 0 });
  }

  #nameFor(request: HttpRequest): string {
    const { domain, path = '/' } = this.#attributes;
    return domain === undefined && path === '/' ? hostCookieName(request, this.#name) : this.#name;
  }
}
