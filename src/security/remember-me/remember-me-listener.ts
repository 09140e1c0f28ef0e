import type { KernelListener } from '#kernel';
import { kernelListener, kernelPriority, responseEvent } from '#kernel';
import { requestSecurity } from '../state/request-security.js';
import { keepPrivate } from '../sessions/keep-private.js';

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
