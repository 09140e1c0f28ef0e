import { type CookieOptions, type HttpRequest, renderCookie } from '#http';

/**
 * Returns the cookie name; on HTTPS with the prefix `__Host-`, so that browsers accept the cookie only from this host
 * (RFC 6265bis section 4.1.3.2).
 */
export function hostCookieName({ scheme }: Pick<HttpRequest, 'scheme'>, name: string): string {
  return scheme === 'https' ? `__Host-${name}` : name;
}

/** A cookie used by security. On HTTPS it is `Secure`, and bound to this host unless a domain or a path is set. */
export class HostCookie {
  readonly #name: string;
  readonly #attributes: CookieOptions;

  constructor(name: string, attributes: CookieOptions = {}) {
    this.#name = name;
    this.#attributes = attributes;
  }

  /** Returns the value; undefined if the request has no such cookie. */
  read(request: HttpRequest): string | undefined {
    return request.cookies.get(this.#nameFor(request));
  }

  /** Returns the Set-Cookie value. */
  render(request: HttpRequest, value: string, more: CookieOptions = {}): string {
    const attributes = { ...this.#attributes, secure: request.scheme === 'https', ...more };
    return renderCookie(this.#nameFor(request), value, attributes);
  }

  /** Returns the Set-Cookie value that removes the cookie. */
  renderRemoval(request: HttpRequest): string {
    return this.render(request, '', { maxAge: 0 });
  }

  #nameFor(request: HttpRequest): string {
    const { domain, path = '/' } = this.#attributes;
    return domain === undefined && path === '/' ? hostCookieName(request, this.#name) : this.#name;
  }
}
