import { type KernelListener, kernelListener, kernelPriority, responseEvent } from '#kernel';
import { HostCookie } from '../secrets/host-cookie.js';
import { keepPrivate } from '../sessions/keep-private.js';
import type { RememberMeOptions } from '../state/firewall.js';
import { requestSecurity } from '../state/request-security.js';

/** Creates the remember-me cookie and returns it with its lifetime in seconds. */
export function createRememberMeCookie(options: RememberMeOptions): { cookie: HostCookie; lifetime: number } {
  const { cookie = 'remember_me', lifetimeSeconds: lifetime = 31_536_000, sameSite = 'Lax' } = options;
  return { cookie: new HostCookie(cookie, { sameSite, maxAge: lifetime }), lifetime };
}

/**
 * Creates the response listener that sets the remember-me cookie if a login, a logout or a failure has stored one for the
 * request.
 */
export function createRememberMeListener(): KernelListener {
  return kernelListener(
    responseEvent,
    ({ request, response }) => {
      const security = request.scope.get(requestSecurity);
      const cookie = security?.rememberMeCookie;
      if (security === undefined || cookie === undefined) return;
      security.rememberMeCookie = undefined;
      response.headers.append('Set-Cookie', cookie);
      keepPrivate(response); // a cache that stores this cookie would send one visitor's login to others
    },
    { name: 'remember me', priority: kernelPriority.response.rememberMe },
  );
}
