import type { HttpRequest, HttpResponse } from '#http';
import { HttpResponse as Response, requestAuthentication, requestUser } from '#http';
import type { KernelListener, RequestEvent } from '#kernel';
import { kernelListener, kernelPriority, requestEvent, routingOutcome } from '#kernel';
import { AccessDeniedError } from '../authorization/access-denied-error.js';
import type { CompiledAccessRule } from '../authorization/access-rules.js';
import { askAccess } from './ask-access.js';
import { RequestSecurity, requestSecurity } from '../state/request-security.js';
import { publishAuthentication } from '../state/security-channels.js';
import type { SecurityServices } from '../state/security-services.js';
import type { Firewall } from '../state/firewall.js';
import { runFirewall } from './run-firewall.js';

export interface FirewallSet {
  readonly firewalls: readonly Firewall[];
  /** What holds where no firewall matches: everyone is admitted as a stranger. */
  readonly open: Firewall;
  readonly rules: readonly CompiledAccessRule[];
}

/** Evaluates the firewall of every request: routed or not, outer or inner, whoever's pages they are for. */
export function createFirewallListener(services: SecurityServices, set: FirewallSet): KernelListener {
  return kernelListener(
    requestEvent,
    (event) => {
      const { request } = event;
      const isBroken = request.scope.getOwn(routingOutcome)?.kind === 'bad-request';
      // What could not be read has no path to be judged by; it is refused after the last listener.
      const firewall = isBroken ? set.open : findFirewall(set, request);
      const security = new RequestSecurity(firewall);
      request.scope.set(requestSecurity, security);
      request.scope.set(requestAuthentication, security);
      request.scope.set(requestUser, () => security.token?.user);
      // Without an examination and without an outer request, there is nothing else to note.
      if (!firewall.isSecured && request.scope.parent === undefined) return publishAuthentication(security);
      return evaluate({ services, set, security, event });
    },
    { name: 'firewall', priority: kernelPriority.request.firewall },
  );
}

function evaluate(evaluation: Evaluation): void | Promise<void> {
  const { services, security, event } = evaluation;
  const { request } = event;
  const response = inherits(security, request) ?? runFirewall(services, security, request);
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

/** A sub-request in the same firewall has the user of the outer request. */
function inherits(security: RequestSecurity, request: HttpRequest): Promise<undefined> | undefined {
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
    const decision = await askAccess(services, event.request, { requirement });
    if (decision.granted) return;
    decisions.push(decision);
  }
  throw new AccessDeniedError(undefined, decisions);
}

/** To the same address by the other scheme, at that scheme's own port. */
function redirectToScheme(request: HttpRequest, scheme: 'https' | 'http'): HttpResponse {
  const query = request.rawQuery === '' ? '' : `?${request.rawQuery}`;
  const status = request.method === 'GET' || request.method === 'HEAD' ? 301 : 308;
  const path = request.rawPath.replaceAll('\\', '%5C'); // a slash to browsers, and none to the route
  return Response.redirect(`${scheme}://${request.host}${path}${query}`, {
    status,
    external: true,
  });
}
