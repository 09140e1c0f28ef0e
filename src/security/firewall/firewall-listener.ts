import type { HttpRequest, HttpResponse } from '#http';
import { HttpResponse as Response, requestAuthentication, requestUser } from '#http';
import type { KernelListener, RequestEvent } from '#kernel';
import { kernelListener, kernelPriority, requestEvent, routingOutcome } from '#kernel';
import { AccessDeniedError } from '../authorization/access-denied-error.js';
import type { CompiledAccessRule } from '../authorization/access-rules.js';
import { checkAccess } from './check-access.js';
import { RequestSecurity, requestSecurity } from '../state/request-security.js';
import { publishAuthentication } from '../state/security-channels.js';
import type { SecurityServices } from '../state/security-services.js';
import type { Firewall } from '../state/firewall.js';
import { runFirewall } from './run-firewall.js';

export interface FirewallSet {
  readonly firewalls: readonly Firewall[];
  /** Used if no firewall matches: admits everyone anonymously. */
  readonly open: Firewall;
  readonly rules: readonly CompiledAccessRule[];
}

/** Creates the listener that evaluates the firewall for every request, including unmatched requests and sub-requests. */
export function createFirewallListener(services: SecurityServices, set: FirewallSet): KernelListener {
  return kernelListener(
    requestEvent,
    (event) => {
      const { request } = event;
      const isBroken = request.scope.getOwn(routingOutcome)?.kind === 'bad-request';
      // An invalid request has no path to match firewalls with; the kernel rejects it after the last request listener.
      const firewall = isBroken ? set.open : findFirewall(set, request);
      const security = new RequestSecurity(firewall);
      request.scope.set(requestSecurity, security);
      request.scope.set(requestAuthentication, security);
      request.scope.set(requestUser, () => security.token?.user);
      // An unsecured request that is not a sub-request needs no further evaluation.
      if (!firewall.isSecured && request.scope.parent === undefined) return publishAuthentication(security);
      return evaluate({ services, set, security, event });
    },
    { name: 'firewall', priority: kernelPriority.request.firewall },
  );
}

function evaluate(evaluation: Evaluation): void | Promise<void> {
  const { services, security, event } = evaluation;
  const { request } = event;
  const response = inheritToken(security, request) ?? runFirewall(services, security, request);
  if (response instanceof Promise) return response.then((answer) => finish(evaluation, answer));
  return finish(evaluation, response);
}

interface Evaluation {
  readonly services: SecurityServices;
  readonly set: FirewallSet;
  readonly security: RequestSecurity;
  readonly event: RequestEvent;
}

function findFirewall(set: FirewallSet, request: HttpRequest): Firewall {
  for (const firewall of set.firewalls) if (firewall.matches(request)) return firewall;
  return set.open;
}

/** Copies the user of the outer request if the sub-request belongs to the same firewall; otherwise returns undefined. */
function inheritToken(security: RequestSecurity, request: HttpRequest): Promise<undefined> | undefined {
  const outer = request.scope.parent?.get(requestSecurity);
  if (outer === undefined || outer.firewall !== security.firewall) return undefined;
  return Promise.resolve(outer.load()).then(() => {
    security.token = outer.token;
    security.pending = outer.pending;
    return undefined;
  });
}

function finish(evaluation: Evaluation, response: HttpResponse | undefined): void | Promise<void> {
  const { set, security, event } = evaluation;
  publishAuthentication(security);
  if (response !== undefined) {
    event.response = response;
    return;
  }
  if (!security.firewall.isSecured || set.rules.length === 0) return;
  const rule = set.rules.find((candidate) => candidate.matches(event.request));
  if (rule === undefined) return;
  if (rule.scheme !== undefined && rule.scheme !== event.request.scheme) {
    event.response = redirectToScheme(event.request, rule.scheme);
    return;
  }
  if (!rule.isPublic) return enforce(evaluation, rule);
}

async function enforce({ services, event }: Evaluation, rule: CompiledAccessRule): Promise<void> {
  const decisions = [];
  for (const requirement of rule.allow) {
    const decision = await checkAccess(services, event.request, { requirement });
    if (decision.granted) return;
    decisions.push(decision);
  }
  throw new AccessDeniedError(undefined, decisions);
}

/** Redirects to the same URL with the other scheme and its default port. */
function redirectToScheme(request: HttpRequest, scheme: 'https' | 'http'): HttpResponse {
  const query = request.rawQuery === '' ? '' : `?${request.rawQuery}`;
  const status = request.method === 'GET' || request.method === 'HEAD' ? 301 : 308;
  const path = request.rawPath.replaceAll('\\', '%5C'); // browsers treat a backslash as a slash, the router does not
  return Response.redirect(`${scheme}://${request.host}${path}${query}`, {
    status,
    external: true,
  });
}
