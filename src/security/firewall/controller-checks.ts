import { attributesOf, type AttributeType, defineAttribute } from '#attributes';
import { HttpError, ForbiddenError } from '#errors';
import { type HttpRequest, requestRoute } from '#http';
import {
  type ControllerArgumentsEvent,
  type KernelListener,
  controllerArgumentsEvent,
  kernelListener,
  kernelPriority,
} from '#kernel';
import type { SecurityToken } from '../authentication/authenticator.js';
import { type GrantRule, isGranted } from '../authorization/access-rules.js';
import {
  type AccessDecision,
  AccessDeniedError,
  renderVotes,
  type AccessRequirement,
  decideAccess,
} from '../authorization/decide-access.js';
import type { CsrfGuard, CsrfVerdict } from '../requests/csrf-guard.js';
import { withHead } from '../requests/request-conditions.js';
import { securityErrors } from '../secrets/error-codes.js';
import {
  securityOf,
  publishDecision,
  type SecurityServices,
  type RequestSecurity,
  requestSecurity,
} from '../state/request-security.js';

interface AccessCheck {
  readonly requirement: AccessRequirement;
  readonly subject?: unknown;
  /** Token to decide for. Default: the token of the request. */
  readonly actor?: SecurityToken | undefined;
}

/** Decides on access for the user of a request; stores and publishes the decision for records. */
export async function checkAccess(
  services: SecurityServices,
  request: HttpRequest,
  { requirement, subject, actor }: AccessCheck,
): Promise<AccessDecision> {
  const security = securityOf(request);
  const loading = security.load();
  if (loading !== undefined) await loading;
  const decision = await decideAccess(services.decider, requirement, {
    request,
    token: actor ?? security.token,
    subject,
  });
  if (security.decisions.length < maxDecisions) security.decisions.push(decision);
  publishDecision(security, decision);
  return decision;
}

/** Maximum number of decisions stored per request: a template may check access for every row of a table. */
const maxDecisions = 200;

/**
 * Creates the listener that checks `isGranted` declarations, with the arguments that the controller will be called with.
 */
export function createIsGrantedListener(services: SecurityServices): KernelListener {
  return kernelListener(
    controllerArgumentsEvent,
    (event) => {
      const { target, owner } = event.controller;
      const rules = attributesOf(isGranted, target, owner);
      return rules.length === 0 ? undefined : checkRules(services, event, rules.map(toRule));
    },
    { name: 'is granted', priority: kernelPriority.controllerArguments.isGranted },
  );
}

async function checkRules(
  services: SecurityServices,
  event: ControllerArgumentsEvent,
  rules: readonly GrantRule[],
): Promise<void> {
  for (const rule of rules) {
    if (rule.methods !== undefined && !withHead(rule.methods).has(event.request.method)) continue;
    const subject = subjectOf(event, rule.subject);
    const decision = await checkAccess(services, event.request, { requirement: rule.attribute, subject });
    if (!decision.granted) throw denial(event, rule, decision);
  }
}

function denial(event: ControllerArgumentsEvent, rule: GrantRule, decision: AccessDecision): Error {
  const message = rule.message ?? defaultMessage(event, rule, decision);
  const expose = rule.message !== undefined; // the default message contains the votes
  const denied = new AccessDeniedError(message, [decision], { expose });
  return rule.status === undefined ? denied : new HttpError(rule.status, message, { cause: denied, expose });
}

function defaultMessage(event: ControllerArgumentsEvent, rule: GrantRule, decision: AccessDecision): string {
  const subject = typeof rule.subject === 'string' ? ` on "${rule.subject}"` : '';
  return `Needs ${decision.attribute}${subject} for ${event.controller.name}: ${renderVotes(decision)}.`;
}

function toRule(value: AccessRequirement | GrantRule): GrantRule {
  return typeof value === 'object' ? value : { attribute: value };
}

function subjectOf(event: ControllerArgumentsEvent, subject: GrantRule['subject']): unknown {
  if (subject === undefined) return undefined;
  const values = namedArguments(event);
  if (typeof subject === 'function') return subject({ request: event.request, arguments: values });
  if (typeof subject === 'string') return oneOf(event, values, subject);
  const record = Object.create(null) as Record<string, unknown>; // still empty, filled below
  for (const name of subject) record[name] = oneOf(event, values, name);
  return record;
}

function namedArguments({
  controller,
  arguments: values,
}: ControllerArgumentsEvent): ReadonlyMap<string, unknown> {
  return new Map(controller.arguments.map((resolver, index) => [resolver.name, values[index]]));
}

function oneOf(event: ControllerArgumentsEvent, values: ReadonlyMap<string, unknown>, name: string): unknown {
  if (values.has(name)) return values.get(name);
  const parameters = event.request.scope.get(requestRoute)?.parameters ?? {};
  if (Object.hasOwn(parameters, name)) return parameters[name];
  throw securityErrors.create('SECURITY_SUBJECT_MISSING', {
    controller: event.controller.name,
    subject: name,
    names: [...values.keys(), ...Object.keys(parameters)].join(', ') || '(none)',
  });
}

/**
 * Turns CSRF protection off for a controller (`of(false)`), or turns it on even in a stateless firewall (`of(true)`).
 */
export const csrfProtected: AttributeType<boolean> = defineAttribute<boolean>('csrfProtected');

/** Runs before the is-granted listener: forged requests are refused whatever the visitor may access. */
const csrfPriority = -10;

/**
 * Creates the listener that refuses requests with unsafe methods that come from pages of other sites. In a firewall with
 * sessions it requires full proof; in a stateless firewall it checks only the headers that browsers send, and only for
 * credentials that browsers send automatically.
 */
export function createCsrfListener(guard: CsrfGuard): KernelListener {
  return kernelListener(
    controllerArgumentsEvent,
    ({ request, controller }) => {
      const declared = attributesOf(csrfProtected, controller.target, controller.owner).at(-1);
      const wanted = declared ?? requiredCheck(request.scope.get(requestSecurity));
      if (wanted !== false)
        assertAllowed(wanted === 'headers' ? guard.checkHeaders(request) : guard.check(request));
    },
    { name: 'csrf', priority: csrfPriority },
  );
}

function assertAllowed({ allowed, reason }: CsrfVerdict): void {
  if (!allowed) throw new ForbiddenError(`The request did not come from a page of this site: ${reason}.`);
}

/**
 * Returns which check a request needs: the full one with sessions, only the headers (`headers`) with other credentials that
 * browsers send automatically, otherwise none.
 */
export function requiredCheck(security: RequestSecurity | undefined): boolean | 'headers' {
  if (security === undefined || !security.firewall.isSecured) return false;
  if (!security.firewall.isStateless) return true;
  const used = security.tokenIfKnown?.authenticator;
  return security.firewall.authenticators.some(({ name, isAmbient }) => name === used && isAmbient === true)
    ? 'headers'
    : false;
}
