import { type KernelListener, kernelListener, kernelPriority, responseEvent } from '#kernel';
import { HostCookie } from '../secrets/host-cookie.js';
import { keepPrivate } from '../sessions/keep-private.js';
import type { RememberMeOptions } from '../state/firewall.js';
import { requestSecurity } from '../state/request-security.js';

/** The cookie, and the seconds for which it remembers. */
export function createRememberMeCookie(options: RememberMeOptions): { cookie: HostCookie; lifetime: number } {
  const { cookie = 'remember_me', lifetimeSeconds: lifetime = 31_536_000, sameSite = 'Lax' } = options;
  return { cookie: new HostCookie(cookie, { sameSite, maxAge: lifetime }), lifetime };
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
