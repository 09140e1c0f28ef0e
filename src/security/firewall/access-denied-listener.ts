import { HttpError, isHttpError, UnauthorizedError } from '#errors';
import type { HttpRequest } from '#http';
import type { ExceptionEvent, KernelListener } from '#kernel';
import { exceptionEvent, kernelListener, kernelPriority } from '#kernel';
import { AuthenticationError } from '../authentication/authentication-error.js';
import { AccessDeniedError } from '../authorization/access-denied-error.js';
import { wantsPage } from '../login/wants-page.js';
import { type RequestSecurity, requestSecurity } from '../state/request-security.js';
import type { SecurityServices } from '../state/security-services.js';

const loginRequiredMessage = 'Full authentication is required to access this resource.';
const codeRequiredMessage = 'The code of the second factor is required to access this resource.';

/**
 * Creates the listener that answers a denial: sends an anonymous visitor, or a remembered user if a full login is required,
 * to the entry point of the firewall, and answers 403 to any other user.
 */
export function createAccessDeniedListener(services: SecurityServices): KernelListener {
  return kernelListener(
    exceptionEvent,
    (event) => {
      const found = findDenial(event.error);
      const security = event.request.scope.get(requestSecurity);
      if (found === undefined || security === undefined) return;
      if (found instanceof AuthenticationError) return requestLogin(event, security, found);
      return answerDenial(services, event, { security, denial: found });
    },
    { name: 'access denied', priority: kernelPriority.exception.security },
  );
}

async function answerDenial(
  services: SecurityServices,
  event: ExceptionEvent,
  { security, denial }: { readonly security: RequestSecurity; readonly denial: AccessDeniedError },
): Promise<void> {
  const { request } = event;
  await security.load();
  const { token, firewall } = security;
  services.audit.info('Access denied.', {
    firewall: firewall.name,
    user: token?.user.identifier,
    ...describe(request),
    reason: denial.message,
  });
  if (token === undefined || (token.strength === 'remembered' && !isRoleDenial(denial))) {
    requestLogin(event, security, denial);
    return;
  }
  event.error = denial;
  event.response = await firewall.accessDenied?.(request, denial);
}

/**
 * Returns whether a full login would not help: a remembered user without a role does not have it after a full login
 * either.
 */
function isRoleDenial(denial: AccessDeniedError): boolean {
  return !denial.decisions.some(({ attribute }) => attribute === 'IS_AUTHENTICATED_FULLY');
}

function requestLogin(event: ExceptionEvent, security: RequestSecurity, cause: Error): void {
  const { firewall, pending } = security;
  const challenge =
    pending === undefined
      ? firewall.entryPoint?.challenge?.(event.request)
      : firewall.secondFactor?.challenge(event.request);
  if (typeof challenge === 'string')
    event.error = new UnauthorizedError(challenge, loginRequiredMessage, { cause });
  else if (challenge !== undefined && wantsPage(event.request)) event.response = challenge;
  else
    event.error = new HttpError(401, pending === undefined ? loginRequiredMessage : codeRequiredMessage, {
      cause,
    });
}

/**
 * Finds the denial in an error or in its causes. An `HttpError` with a denial as its cause is answered as it is: a 404 that
 * wraps a denial is meant to hide that the resource exists.
 */
function findDenial(error: unknown): AccessDeniedError | AuthenticationError | undefined {
  let current = error;
  for (let depth = 0; depth < 20; depth++) {
    if (AccessDeniedError.is(current)) return current;
    if (isHttpError(current)) return undefined;
    if (isAuthenticationError(current)) return current;
    current = causeOf(current);
    if (current === undefined) return undefined;
  }
  return undefined;
}

function isAuthenticationError(value: unknown): value is AuthenticationError {
  try {
    return value instanceof AuthenticationError;
  } catch {
    return false; // a Proxy whose getPrototypeOf trap throws
  }
}

/** Reads an own data property only: errors may come from foreign code, whose getters must not run here. */
function causeOf(error: unknown): unknown {
  if (typeof error !== 'object' || error === null) return undefined;
  try {
    return Object.getOwnPropertyDescriptor(error, 'cause')?.value;
  } catch {
    return undefined; // a Proxy with a trap that throws
  }
}

function describe(request: HttpRequest): object {
  return { method: request.method, path: request.path, address: request.clientAddress };
}
