import type { HttpRequest } from '#http';
import { HostCookie } from '../secrets/host-cookie.js';
import type { Signer } from '../secrets/signer.js';

export interface SessionCookieOptions {
  /** Default `session`; over HTTPS it gets the prefix `__Host-`, unless a domain or a path is set. */
  readonly name?: string;
  /** Sent to its subdomains as well. Default: this host only. */
  readonly domain?: string;
  readonly path?: string;
  readonly sameSite?: 'Strict' | 'Lax' | 'None';
}

/** Reads and writes the cookie with the signed session id. */
export interface SessionCookie extends Pick<HostCookie, 'render' | 'renderRemoval'> {
  /** The id of the request's cookie, if the signature is ours. */
  read(request: HttpRequest): string | undefined;
}

const sessionPurpose = 'session';

/** The session id in a cookie: signed, `HttpOnly`, `SameSite=Lax`, `Secure` and `__Host-` on HTTPS. */
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
