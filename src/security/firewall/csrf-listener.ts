import { type AttributeType, attributesOf, defineAttribute } from '#attributes';
import { ForbiddenError } from '#errors';
import type { HttpRequest, HttpResponse } from '#http';
import { type KernelListener, controllerArgumentsEvent, kernelListener, responseEvent } from '#kernel';
import { type ScopeKey, createScopeKey } from '#scope';
import { type RequestSecurity, requestSecurity } from '../state/request-security.js';
import { keepPrivate } from '../sessions/keep-private.js';
import type { CsrfGuard, CsrfVerdict } from '../csrf/csrf-guard.js';

/**
 * Turns CSRF protection off for a controller (`of(false)`), or turns it on even in a stateless firewall (`of(true)`).
 */
export const csrfProtected: AttributeType<boolean> = defineAttribute<boolean>('csrfProtected');

interface IssuedCsrfToken {
  readonly token: string;
  readonly cookie: string;
}

const issuedToken: ScopeKey<IssuedCsrfToken> = createScopeKey<IssuedCsrfToken>('CSRF token');

/** Runs before the is-granted listener: forged requests are refused whatever the visitor may access. */
const csrfPriority = -10;

/**
 * Creates two listeners. The first refuses requests with unsafe methods that come from pages of other sites. In a firewall
 * with sessions it requires full proof; in a stateless firewall it checks only the headers that browsers send, and only for
 * credentials that browsers send automatically, so that programs need no token. The second listener adds the cookie that
 * belongs to a CSRF token issued for a form.
 */
export function createCsrfListeners(guard: CsrfGuard): readonly KernelListener[] {
  return [
    kernelListener(
      controllerArgumentsEvent,
      ({ request, controller }) => {
        const declared = attributesOf(csrfProtected, controller.target, controller.owner).at(-1);
        const wanted = declared ?? requiredCheck(request.scope.get(requestSecurity));
        if (wanted === false) return undefined;
        const verdict = wanted === 'headers' ? guard.checkHeaders(request) : guard.check(request);
        if (verdict instanceof Promise) return verdict.then(assertAllowed);
        assertAllowed(verdict);
        return undefined;
      },
      { name: 'csrf', priority: csrfPriority },
    ),
    kernelListener(responseEvent, ({ request, response }) => addCookie(request, response), {
      name: 'csrf cookie',
      priority: 0,
    }),
  ];
}

function assertAllowed({ allowed, reason }: CsrfVerdict): void {
  if (!allowed) throw new ForbiddenError(`The request did not come from a page of this site: ${reason}.`);
}

/** Returns the token for the forms of this response; its cookie is added at the response event. */
export function csrfTokenFor(guard: CsrfGuard, request: HttpRequest): string {
  const issued = request.scope.get(issuedToken) ?? guard.issue(request);
  request.scope.set(issuedToken, issued);
  return issued.token;
}

function addCookie(request: HttpRequest, response: HttpResponse): void {
  const issued = request.scope.getOwn(issuedToken);
  if (issued === undefined) return;
  request.scope.delete(issuedToken);
  response.headers.append('Set-Cookie', issued.cookie);
  keepPrivate(response); // the page contains a token for one visitor only
}

/**
 * Returns which check a request needs: the full one with sessions, only the headers (`headers`) with other credentials that
 * browsers send automatically, otherwise none.
 */
function requiredCheck(security: RequestSecurity | undefined): boolean | 'headers' {
  if (security === undefined || !security.firewall.isSecured) return false;
  if (!security.firewall.isStateless) return true;
  const used = security.tokenIfKnown?.authenticator;
  return security.firewall.authenticators.some(({ name, isAmbient }) => name === used && isAmbient === true)
    ? 'headers'
    : false;
}
