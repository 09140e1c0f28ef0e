import { type AttributeType, attributesOf, defineAttribute } from '#attributes';
import { ForbiddenError } from '#errors';
import type { HttpRequest, HttpResponse } from '#http';
import { type KernelListener, controllerArgumentsEvent, kernelListener, responseEvent } from '#kernel';
import { type ScopeKey, createScopeKey } from '#scope';
import { type RequestSecurity, requestSecurity } from '../state/request-security.js';
import { keepPrivate } from '../sessions/keep-private.js';
import type { CsrfGuard, CsrfVerdict } from '../csrf/csrf-guard.js';

/**
 * Turns the protection against other sites' pages off for a controller (`of(false)`), or on in a stateless firewall
 * too (`of(true)`).
 */
export const csrfProtected: AttributeType<boolean> = defineAttribute<boolean>('csrfProtected');

interface Issued {
  readonly token: string;
  readonly cookie: string;
}

const issuedToken: ScopeKey<Issued> = createScopeKey<Issued>('CSRF token');

/** Before is-granted: what another site sent is refused, whatever the visitor may do. */
const csrfPriority = -10;

/**
 * Refuses requests that other sites' pages sent, in every firewall that has sessions: methods other than GET and
 * HEAD only. In those without, a login that a browser sends automatically counts only from this site's pages, as far as
 * the browser says where it comes from; programs need no token. And brings the cookie of a token that a form was given.
 */
export function createCsrfListeners(guard: CsrfGuard): readonly KernelListener[] {
  return [
    kernelListener(
      controllerArgumentsEvent,
      ({ request, controller }) => {
        const declared = attributesOf(csrfProtected, controller.target, controller.owner).at(-1);
        const wanted = declared ?? proofWanted(request.scope.get(requestSecurity));
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

/** The token for the forms of this response; its cookie is added when the response is known. */
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
  keepPrivate(response); // the token in the page is one visitor's
}

/** How much proof a request needs: a browser would bring a session, or another login, whoever's page sent it. */
function proofWanted(security: RequestSecurity | undefined): boolean | 'headers' {
  if (security === undefined || !security.firewall.isSecured) return false;
  if (!security.firewall.isStateless) return true;
  const used = security.tokenIfKnown?.authenticator;
  return security.firewall.authenticators.some(({ name, isAmbient }) => name === used && isAmbient === true)
    ? 'headers'
    : false;
}
