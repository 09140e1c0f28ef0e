import { type HttpRequest, renderCookie } from '#http';
import type { RememberMeOptions } from '../state/firewall.js';
import { hostCookieName } from '../secrets/host-cookie-name.js';
import { type KernelListener, kernelListener, kernelPriority, responseEvent } from '#kernel';
import { requestSecurity } from '../state/request-security.js';
import { keepPrivate } from '../sessions/keep-private.js';

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

/** Runs on every response, and writes the remember-me cookie where a login, a logout or a failure left one to write. */
export function createRememberMeListener(): KernelListener {
  return kernelListener(
    responseEvent,
    ({ request, response }) => {
      const security = request.scope.get(requestSecurity);
      const cookie = security?.rememberMeCookie;
      if (security === undefined || cookie === undefined) return;
      security.rememberMeCookie = undefined;
      response.headers.append('Set-Cookie', cookie);
      keepPrivate(response); // a cache that kept this cookie would hand one visitor's login to others
    },
    { name: 'remember me', priority: kernelPriority.response.rememberMe },
  );
}
