import { attributesOf } from '#attributes';
import { HttpError } from '#errors';
import { requestRoute } from '#http';
import type { ControllerArgumentsEvent, KernelListener } from '#kernel';
import { controllerArgumentsEvent, kernelListener, kernelPriority } from '#kernel';
import { securityErrors } from '../errors/error-codes.js';
import { withHead } from '../requests/request-matcher.js';
import type { SecurityServices } from '../state/security-services.js';
import { AccessDeniedError } from '../authorization/access-denied-error.js';
import { checkAccess } from './check-access.js';
import { type AccessDecision, renderDecision } from '../authorization/access-decision.js';
import type { AccessRequirement } from '../authorization/decide-access.js';
import { type GrantRule, isGranted } from '../authorization/is-granted.js';

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
  const asked = `${event.controller.name} requires "${decision.attribute}"${subject}`;
  return `Access denied: ${asked}. ${renderDecision(decision)}.`;
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
