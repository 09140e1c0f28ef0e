import { isProxy } from 'node:util/types';
import { attributesOf } from '#core/attributes';
import { controllerFunction, isClass } from '#framework/controller';
import { findData } from '#core/dump';
import { HttpError, isHttpError, UnauthorizedError } from '#core/errors';
import { type HttpRequest, HttpResponse, locationOf, requestAuthentication, requestUser } from '#core/http';
import {
  type KernelListener,
  type RequestEvent,
  kernelListener,
  kernelPriority,
  requestEvent,
  routingOutcome,
  type ExceptionEvent,
  exceptionEvent,
  isLoginChallenge,
  ownGuard,
} from '#framework/kernel';
import { AuthenticationError, type SecurityScheme } from '../authentication/authenticator.js';
import { type CompiledAccessRule, isGranted } from '../authorization/access-rules.js';
import {
  AccessDeniedError,
  PUBLIC_ACCESS,
  renderVotes,
  type AccessRequirement,
} from '../authorization/decide-access.js';
import { wantsPage } from '../requests/request-conditions.js';
import type { Firewall } from '../state/firewall.js';
import {
  RequestSecurity,
  requestSecurity,
  publishAuthentication,
  type SecurityServices,
} from '../state/request-security.js';
import { checkAccess } from './controller-checks.js';
import { noteOtherMethods, runFirewall } from './run-firewall.js';

export interface FirewallSet {
  readonly firewalls: readonly Firewall[];
  /** Used if no firewall matches: admits everyone anonymously. */
  readonly open: Firewall;
  /** Used for invalid requests, which reach no controller; an error page may use the session. */
  readonly broken: Firewall;
  readonly rules: readonly CompiledAccessRule[];
}

/** Creates the listener that evaluates the firewall for every request, including unmatched requests. */
export function createFirewallListener(services: SecurityServices, set: FirewallSet): KernelListener {
  return kernelListener(
    requestEvent,
    (event) => {
      const { request } = event;
      const firewall = findFirewall(set, request);
      const security = new RequestSecurity(request, firewall, services);
      request.scope.set(requestSecurity, security);
      request.scope.set(requestAuthentication, security);
      request.scope.set(requestUser, () => security.token?.user);
      const response = runFirewall(security);
      if (!(response instanceof Promise)) return applyAccessRules(set.rules, security, event, response);
      return response.then((answer) => applyAccessRules(set.rules, security, event, answer));
    },
    { name: 'firewall', priority: kernelPriority.request.firewall },
  );
}

/** Returns a request's firewall; before it has run, the firewall that will run. */
export function findFirewall({ firewalls, open, broken }: FirewallSet, request: HttpRequest): Firewall {
  const known = request.scope.getOwn(requestSecurity);
  if (known !== undefined) return known.firewall;
  // An invalid request has no path to match firewalls with; the kernel refuses it after the last request listener.
  if (request.scope.getOwn(routingOutcome)?.kind === 'bad-request') return broken;
  return firewalls.find((firewall) => firewall.matches(request)) ?? open;
}

function applyAccessRules(
  rules: readonly CompiledAccessRule[],
  security: RequestSecurity,
  event: RequestEvent,
  response: HttpResponse | undefined,
): void | Promise<void> {
  publishAuthentication(security);
  event.response = response;
  if (response === undefined) noteOtherMethods(security);
  if (response !== undefined || !security.firewall.isSecured) return;
  const word = wordOfOwnGuard(event.request);
  const rule = rules.find(
    (candidate) => (word === undefined || candidate.mentions(word)) && candidate.matches(event.request),
  );
  if (rule === undefined) return;
  if (rule.scheme !== undefined && rule.scheme !== event.request.scheme)
    event.response = redirectToScheme(event.request, rule.scheme);
  else if (!rule.isPublic) return enforce(event.request, rule);
}

/**
 * Returns the word that a rule must contain to apply to pages with their own guard; undefined for all other requests.
 */
function wordOfOwnGuard({ scope }: HttpRequest): string | undefined {
  const word = scope.getOwn(ownGuard);
  const outcome = scope.getOwn(routingOutcome);
  // The guard may have been evaluated for another route's trace.
  const isItsRoute = word !== undefined && outcome?.kind === 'match' && outcome.route.name.startsWith(word);
  return isItsRoute ? word : undefined;
}

async function enforce(request: HttpRequest, rule: CompiledAccessRule): Promise<void> {
  const decisions = [];
  for (const requirement of rule.allow) {
    const decision = await checkAccess(request, { requirement, asker: { by: `access rule ${rule.name}` } });
    if (decision.granted) return;
    decisions.push(decision);
  }
  const needed = decisions.map(({ attribute }) => attribute).join(' or ');
  const votes = decisions.map(renderVotes).join(' | ');
  const message = `Needs ${needed} by access rule ${rule.name}: ${votes}.`;
  throw new AccessDeniedError(message, decisions, { expose: false });
}

/** Redirects to the same URL with the other scheme and its default port. */
function redirectToScheme(request: HttpRequest, scheme: 'https' | 'http'): HttpResponse {
  const status = request.method === 'GET' || request.method === 'HEAD' ? 301 : 308;
  const location = `${scheme}://${request.host}${locationOf(request.basePath + request.rawPath, request.rawQuery)}`;
  return HttpResponse.redirect(location, { status, external: true });
}

const loginRequiredMessage = 'Full authentication is required to access this resource.';

/**
 * Sends an anonymous visitor to the entry point, and also a remembered user if a full login is required; others get
 * 403.
 */
export const accessDeniedListener: KernelListener = kernelListener(
  exceptionEvent,
  (event) => {
    const found = findDenial(event.error);
    const security = event.request.scope.get(requestSecurity);
    if (found === undefined || security === undefined) return undefined;
    if (security.failure !== undefined) {
      event.error = security.failure; // whether there is a user is unknown
      return undefined;
    }
    if (found instanceof AuthenticationError) return requestLogin(event, security, found);
    return answerDenial(event, security, found);
  },
  { name: 'access denied', priority: kernelPriority.exception.security },
);

async function answerDenial(
  event: ExceptionEvent,
  security: RequestSecurity,
  denial: AccessDeniedError,
): Promise<void> {
  const { request, token, firewall, services } = security;
  services.audit()?.info('Access denied.', {
    firewall: firewall.name,
    user: token?.user.identifier,
    method: request.method,
    path: request.path,
    address: request.clientAddress,
    reason: denial.message,
  });
  if (token === undefined || (token.strength === 'remembered' && !isRoleDenial(denial))) {
    requestLogin(event, security, denial);
    return;
  }
  event.error = denial;
  event.response = await firewall.accessDenied?.(request, denial);
}

/** Whether a full login would not help: a remembered user without a role would still lack it after a full login. */
function isRoleDenial(denial: AccessDeniedError): boolean {
  return !denial.decisions.some(({ attribute }) => attribute === 'IS_AUTHENTICATED_FULLY');
}

function requestLogin(event: ExceptionEvent, security: RequestSecurity, cause: Error): void {
  const challenge = security.firewall.entryPoint?.challenge?.(event.request);
  if (typeof challenge === 'string')
    event.error = new UnauthorizedError(challenge, loginRequiredMessage, { cause });
  else if (challenge !== undefined && wantsPage(event.request)) {
    event.response = challenge;
    event.request.scope.set(isLoginChallenge, true);
  } else event.error = new HttpError(401, loginRequiredMessage, { cause });
}

/**
 * Finds the denial among the causes. An `HttpError` around one is answered unchanged: a 404 may hide that something
 * exists.
 */
function findDenial(error: unknown): AccessDeniedError | AuthenticationError | undefined {
  let current = error;
  for (let depth = 0; depth < 20; depth++) {
    if (AccessDeniedError.is(current)) return current;
    if (isHttpError(current)) return undefined;
    if (isAuthenticationError(current)) return current;
    if (typeof current !== 'object' || current === null) return undefined;
    current = findData(current, 'cause'); // runs no foreign error's code
  }
  return undefined;
}

/** Inspects no Proxy, whose trap could throw. */
function isAuthenticationError(value: unknown): value is AuthenticationError {
  return !isProxy(value) && value instanceof AuthenticationError;
}

/** A route's access requirements, as far as they are known without an actual request. */
export interface RouteAccess {
  /** Ways to authenticate, by authenticator name; `session` for the cookie after a login. */
  readonly schemes: ReadonlyMap<string, SecurityScheme>;
  /** Whether anonymous visitors are refused. */
  readonly isRequired: boolean;
  /** Required attributes, such as roles; for a function, its name. */
  readonly attributes: readonly string[];
}

/** Describes the access to a request that has only method, host, path and route. */
export function createAccessDescriber(
  set: FirewallSet,
  sessionCookie: string | undefined,
): (request: HttpRequest, controller: unknown) => RouteAccess {
  return (request, controller) => {
    const firewall = findFirewall(set, request);
    const schemes = new Map<string, SecurityScheme>();
    for (const { name, scheme } of firewall.authenticators)
      if (scheme !== undefined) schemes.set(name, scheme);
    const hasLogin = firewall.authenticators.some((one) => one.isInteractive);
    if (hasLogin && !firewall.isStateless && sessionCookie !== undefined)
      schemes.set('session', { type: 'apiKey', in: 'cookie', name: sessionCookie });
    const rule = firewall.isSecured ? set.rules.find((one) => one.matches(request)) : undefined;
    const byRule = rule === undefined || rule.isPublic ? [] : rule.allow;
    const asked = [...byRule, ...declaredRequirements(controller)].map(requirementName);
    const attributes = [...new Set(asked)].filter((name) => name !== PUBLIC_ACCESS);
    return { schemes, isRequired: attributes.length > 0, attributes };
  };
}

export function declaredRequirements(controller: unknown): AccessRequirement[] {
  const target = controllerFunction(controller);
  if (target === undefined) return [];
  const owner: unknown = Array.isArray(controller) ? controller[0] : controller;
  const rules = attributesOf(isGranted, target, isClass(owner) ? owner : undefined);
  return rules.map((rule) => (typeof rule === 'object' ? rule.attribute : rule));
}

export function requirementName(requirement: AccessRequirement): string {
  return typeof requirement === 'string' ? requirement : requirement.name || 'policy';
}
