import { attributesOf } from '#attributes';
import { controllerFunction, isClass } from '#controller';
import type { HttpRequest } from '#http';
import type { SecurityScheme } from '../authentication/authenticator.js';
import type { FirewallSet } from './firewall-listener.js';
import { withHead } from '../requests/request-matcher.js';
import { PUBLIC_ACCESS } from '../authorization/authenticated-voter.js';
import type { AccessRequirement } from '../authorization/decide-access.js';
import { isGranted } from '../authorization/is-granted.js';

/** Access requirements of a route, as far as they are known without an actual request. */
export interface RouteAccess {
  /** Ways to authenticate, by the names of their authenticators; `session` for the cookie after a login. */
  readonly schemes: ReadonlyMap<string, SecurityScheme>;
  /** Whether anonymous visitors are refused. */
  readonly isRequired: boolean;
  /** Required attributes, such as roles; for a function, its name. */
  readonly attributes: readonly string[];
}

/**
 * Returns a function that reads the firewalls, access rules and `isGranted` for a request that has only method, host,
 * path and route.
 */
export function createAccessDescriber(
  { firewalls, open, rules }: FirewallSet,
  sessionCookie: string | undefined,
): (request: HttpRequest, controller: unknown) => RouteAccess {
  return (request, controller) => {
    const firewall = firewalls.find((one) => one.matches(request)) ?? open;
    const schemes = new Map<string, SecurityScheme>();
    for (const { name, scheme } of firewall.authenticators)
      if (scheme !== undefined) schemes.set(name, scheme);
    const hasLogin = firewall.authenticators.some((one) => one.isInteractive);
    if (hasLogin && !firewall.isStateless && sessionCookie !== undefined)
      schemes.set('session', { type: 'apiKey', in: 'cookie', name: sessionCookie });
    const rule = firewall.isSecured ? rules.find((one) => one.matches(request)) : undefined;
    const byRule = rule === undefined || rule.isPublic ? [] : rule.allow;
    const asked = [...byRule, ...declaredRequirements(request, controller)].map(nameOf);
    const attributes = [...new Set(asked)].filter((name) => name !== PUBLIC_ACCESS);
    return { schemes, isRequired: attributes.length > 0, attributes };
  };
}

function declaredRequirements(request: HttpRequest, controller: unknown): AccessRequirement[] {
  const target = controllerFunction(controller);
  if (target === undefined) return [];
  const owner: unknown = Array.isArray(controller) ? controller[0] : controller;
  const rules = attributesOf(isGranted, target, isClass(owner) ? owner : undefined);
  return rules.flatMap((rule) => {
    if (typeof rule !== 'object') return [rule];
    return rule.methods === undefined || withHead(rule.methods).has(request.method) ? [rule.attribute] : [];
  });
}

function nameOf(requirement: AccessRequirement): string {
  return typeof requirement === 'string' ? requirement : requirement.name || 'policy';
}
