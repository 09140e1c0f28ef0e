import { attributesOf, type AttributeType, defineAttribute } from '#core/attributes';
import { HttpError, ForbiddenError } from '#core/errors';
import { type HttpRequest, requestRoute } from '#core/http';
import {
  type ControllerArgumentsEvent,
  type KernelListener,
  controllerArgumentsEvent,
  kernelListener,
  kernelPriority,
} from '#framework/kernel';
import type { SecurityToken } from '../authentication/authenticator.js';
import { type GrantRule, isGranted } from '../authorization/access-rules.js';
import {
  type AccessDecision,
  AccessDeniedError,
  renderVotes,
  type AccessRequirement,
  decideAccess,
} from '../authorization/decide-access.js';
import type { CsrfGuard } from '../requests/csrf-guard.js';
import { securityErrors } from '../secrets/error-codes.js';
import {
  type DecisionAsker,
  securityOf,
  publishDecision,
  type RequestSecurity,
  requestSecurity,
} from '../state/request-security.js';

interface AccessCheck {
  readonly requirement: AccessRequirement;
  readonly subject?: unknown;
  /** Token to decide for. Default: the request's token. */
  readonly actor?: SecurityToken | undefined;
  readonly asker: DecisionAsker;
}

/** Decides on access for a request's user, and publishes the decision for records. */
export async function checkAccess(
  request: HttpRequest,
  { requirement, subject, actor, asker }: AccessCheck,
): Promise<AccessDecision> {
  const security = securityOf(request);
  const asked = { request, token: actor ?? security.token, subject };
  const decision = await decideAccess(security.services.decider, requirement, asked);
  publishDecision(security, decision, asker);
  return decision;
}

/** Checks `isGranted` declarations with the controller's resolved arguments. */
export const isGrantedListener: KernelListener = kernelListener(
  controllerArgumentsEvent,
  (event) => {
    const rules = attributesOf(isGranted, event.controller.target, event.controller.owner);
    return rules.length === 0 ? undefined : checkRules(event, rules);
  },
  { name: 'is granted', priority: kernelPriority.controllerArguments.isGranted },
);

async function checkRules(
  event: ControllerArgumentsEvent,
  rules: readonly (AccessRequirement | GrantRule)[],
): Promise<void> {
  for (const given of rules) {
    const rule: GrantRule = typeof given === 'object' ? given : { attribute: given };
    const subject = subjectOf(event, rule.subject);
    const asker = { by: `isGranted of ${event.controller.name}` };
    const decision = await checkAccess(event.request, { requirement: rule.attribute, subject, asker });
    if (!decision.granted) throw denial(event, rule, decision);
  }
}

function denial(event: ControllerArgumentsEvent, rule: GrantRule, decision: AccessDecision): Error {
  const on = typeof rule.subject === 'string' ? ` on "${rule.subject}"` : '';
  const needs = `Needs ${decision.attribute}${on} for ${event.controller.name}: ${renderVotes(decision)}.`;
  const { message = needs, status } = rule;
  const expose = rule.message !== undefined; // the default message contains the votes
  const denied = new AccessDeniedError(message, [decision], { expose });
  return status === undefined ? denied : new HttpError(status, message, { cause: denied, expose });
}

function subjectOf(event: ControllerArgumentsEvent, subject: GrantRule['subject']): unknown {
  if (subject === undefined) return undefined;
  const { controller, arguments: resolved } = event;
  const values = new Map(controller.arguments.map(({ name }, index) => [name, resolved[index]]));
  if (typeof subject === 'function') return subject({ request: event.request, arguments: values });
  if (values.has(subject)) return values.get(subject);
  const parameters = event.request.scope.get(requestRoute)?.parameters ?? {};
  if (Object.hasOwn(parameters, subject)) return parameters[subject];
  throw securityErrors.create('SECURITY_SUBJECT_MISSING', {
    controller: controller.name,
    subject,
    names: [...values.keys(), ...Object.keys(parameters)].join(', ') || '(none)',
  });
}

/** Turns CSRF protection off for a controller (`of(false)`), or on even in a stateless firewall (`of(true)`). */
export const csrfProtected: AttributeType<boolean> = defineAttribute<boolean>('csrfProtected');

/** Runs before the is-granted listener: forged requests are refused regardless of the visitor's permissions. */
const csrfPriority = -10;

/**
 * Creates the listener that refuses unsafe requests from pages of other sites. In a firewall with sessions it requires
 * full proof; in a stateless firewall it checks only the headers that browsers send, and only for credentials that
 * browsers send automatically.
 */
export function createCsrfListener(guard: CsrfGuard): KernelListener {
  return kernelListener(
    controllerArgumentsEvent,
    ({ request, controller }) => {
      const declared = attributesOf(csrfProtected, controller.target, controller.owner).at(-1);
      const wanted = declared ?? requiredCheck(request.scope.get(requestSecurity));
      if (wanted === false) return;
      const problem = guard(request, { headersOnly: wanted === 'headers' });
      if (problem !== undefined)
        throw new ForbiddenError(`The request did not come from a page on this site: ${problem}.`);
    },
    { name: 'csrf', priority: csrfPriority },
  );
}

/**
 * Returns the required check: full with sessions, `headers` with other credentials that browsers send automatically.
 */
export function requiredCheck(security: RequestSecurity | undefined): boolean | 'headers' {
  if (security === undefined || !security.firewall.isSecured) return false;
  if (!security.firewall.isStateless) return true;
  const used = security.token?.authenticator;
  return security.firewall.authenticators.some(({ name, isAmbient }) => name === used && isAmbient === true)
    ? 'headers'
    : false;
}
