import type { HttpRequest, ScopeKey } from 'lookback';
import { createScopeKey, requestLocale } from 'lookback';
import { type Authenticator, formLogin, type Security } from 'lookback/security';
import { keepText, readCarried } from './kept-text.js';

/** The reason why this request's login failed. */
export const loginFailure: ScopeKey<string> = createScopeKey<string>('login failure');

/**
 * The login form. After a failure, the request continues to the page, which shows the entered name; after a success,
 * the text that it carried waits in the new session.
 */
export function createJournalLogin(security: () => Security): Authenticator {
  const login = formLogin({
    loginPath: (request) => `/${languageOf(request)}/login`,
    checkPath: (request) => /^\/(?:en|fr|de)\/login$/.test(request.path),
    defaultTarget: (request) => `/${languageOf(request)}`,
  });
  return {
    ...login,
    async onSuccess(request, token) {
      const kept = readCarried(await request.form());
      if (kept !== undefined) await keepText(security(), request, kept);
      return login.onSuccess?.(request, token);
    },
    onFailure(request, error) {
      // Nothing from another site's page, or from a form whose origin is unknown, is shown again.
      if (error.reason === 'csrf') return login.onFailure?.(request, error);
      request.scope.set(loginFailure, error.reason);
      return undefined;
    },
  };
}

export function languageOf(request: HttpRequest): string {
  return request.scope.get(requestLocale) ?? 'en';
}
