import type { HttpRequest, HttpResponse } from '#http';
import { HostCookie, type Signer } from '../secrets/signed-cookies.js';

export interface SessionCookieOptions {
  /** Default `session`; over HTTPS with the prefix `__Host-`, unless a domain or a path is set. */
  readonly name?: string;
  /** Domain, to send the cookie to its subdomains as well. Default: this host only. */
  readonly domain?: string;
  readonly path?: string;
  readonly sameSite?: 'Strict' | 'Lax' | 'None';
}

/** Reads and writes the cookie with the signed session id. */
export interface SessionCookie extends Pick<HostCookie, 'render' | 'renderRemoval'> {
  /** Returns the session id in the cookie of a request, if its signature is valid. */
  read(request: HttpRequest): string | undefined;
}

const sessionPurpose = 'session';

/**
 * Creates the cookie for session ids: signed, `HttpOnly`, `SameSite=Lax`; on HTTPS also `Secure` and with the prefix
 * `__Host-`.
 */
export function createSessionCookie(signer: Signer, options: SessionCookieOptions = {}): SessionCookie {
  const { name = 'session', ...attributes } = options;
  const cookie = new HostCookie(name, attributes);
  return {
    read(request) {
      const value = cookie.read(request);
      const dot = value?.indexOf('.') ?? -1;
      if (value === undefined || dot < 1 || value.length > 200) return undefined;
      const id = value.slice(0, dot);
      return signer.verify(sessionPurpose, id, value.slice(dot + 1)) ? id : undefined;
    },
    render: (request, id) => cookie.render(request, `${id}.${signer.sign(sessionPurpose, id)}`),
    renderRemoval: (request) => cookie.renderRemoval(request),
  };
}

/**
 * Keeps a response with a cookie or token of one visitor out of shared caches, even if the application has set another
 * `Cache-Control`. The stricter `no-store` is left unchanged.
 */
export function keepPrivate({ headers }: HttpResponse): void {
  if (/(?:^|,)\s*no-store\s*(?:,|$)/i.test(headers.get('cache-control') ?? '')) return;
  headers.set('Cache-Control', 'private, no-cache');
}
