import { type HttpRequest, renderCookie } from '#http';
import type { Signer } from '../secrets/signer.js';
import { hostCookieName } from '../secrets/host-cookie-name.js';

export interface SessionCookieOptions {
  /** Default `session`; over HTTPS it gets the prefix `__Host-`, unless a domain or a path is set. */
  readonly name?: string;
  /** Sent to its subdomains as well. Default: this host only. */
  readonly domain?: string;
  readonly path?: string;
  readonly sameSite?: 'Strict' | 'Lax' | 'None';
}

/** Reads and writes the cookie with the signed session id. */
export interface SessionCookie {
  /** The id of the request's cookie, if the signature is ours. */
  read(request: HttpRequest): string | undefined;
  /** Set-Cookie value for an id. */
  render(request: HttpRequest, id: string): string;
  /** Set-Cookie value that removes the cookie. */
  renderRemoval(request: HttpRequest): string;
  /** Whether the request carries a cookie of this name, valid or not. */
  isSent(request: HttpRequest): boolean;
}

const sessionPurpose = 'session';

/** The session id in a cookie: signed, `HttpOnly`, `SameSite=Lax`, `Secure` and `__Host-` on HTTPS. */
export function createSessionCookie(signer: Signer, options: SessionCookieOptions = {}): SessionCookie {
  const plain = options.name ?? 'session';
  const canPrefix = options.domain === undefined && (options.path ?? '/') === '/';
  const nameFor = (request: HttpRequest): string => (canPrefix ? hostCookieName(request, plain) : plain);
  const attributes = (request: HttpRequest): object => ({
    httpOnly: true,
    secure: request.scheme === 'https',
    sameSite: options.sameSite ?? 'Lax',
    path: options.path ?? '/',
    ...(options.domain === undefined ? {} : { domain: options.domain }),
  });
  return {
    isSent: (request) => request.cookies.has(nameFor(request)),
    read(request) {
      const value = request.cookies.get(nameFor(request));
      const dot = value?.indexOf('.') ?? -1;
      if (value === undefined || dot < 1 || value.length > 200) return undefined;
      const id = value.slice(0, dot);
      return signer.verify(sessionPurpose, id, value.slice(dot + 1)) ? id : undefined;
    },
    render: (request, id) =>
      renderCookie(nameFor(request), `${id}.${signer.sign(sessionPurpose, id)}`, attributes(request)),
    renderRemoval: (request) => renderCookie(nameFor(request), '', { ...attributes(request), maxAge: 0 }),
  };
}
