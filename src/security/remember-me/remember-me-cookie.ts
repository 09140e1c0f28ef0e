import type { HttpRequest } from '#http';
import { renderCookie } from '#http';
import type { RememberMeOptions } from '../state/remember-me.js';
import { hostCookieName } from '../secrets/host-cookie-name.js';

/** The cookie's name and attributes. */
export interface RememberMeCookie {
  readonly lifetime: number;
  read(request: HttpRequest): string | undefined;
  render(request: HttpRequest, value: string): string;
  renderRemoval(request: HttpRequest): string;
}

export function createRememberMeCookie(options: RememberMeOptions): RememberMeCookie {
  const plain = options.cookie ?? 'remember_me';
  const lifetime = options.lifetimeSeconds ?? 31_536_000;
  const sameSite = options.sameSite ?? 'Lax';
  const name = (request: HttpRequest): string => hostCookieName(request, plain);
  const render = (request: HttpRequest, value: string, maxAge: number): string =>
    renderCookie(name(request), value, {
      httpOnly: true,
      secure: request.scheme === 'https',
      sameSite,
      maxAge,
    });
  return {
    lifetime,
    read: (request) => request.cookies.get(name(request)),
    render: (request, value) => render(request, value, lifetime),
    renderRemoval: (request) => render(request, '', 0),
  };
}
