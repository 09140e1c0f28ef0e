import { HttpRequest, requestRoute } from '#core/http';
import type { CompiledAccessRule } from '../authorization/access-rules.js';
import type { Firewall } from '../state/firewall.js';
import { answersOf } from './run-firewall.js';
import { declaredRequirements, type FirewallSet, requirementName } from './firewall-listener.js';

/** A hypothetical request, as plain data: for descriptions of who may send it. */
export interface AskedRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly host: string;
  readonly scheme: 'http' | 'https';
  /** The matching route, with its controller. */
  readonly route?:
    | {
        readonly name: string;
        readonly path: string;
        readonly parameters: Readonly<Record<string, unknown>>;
        readonly controller: unknown;
      }
    | undefined;
  /** A word that access rules must contain to apply to the route, which has its own guard. */
  readonly ownGuard?: string | undefined;
}

/** The checks that a request passes before its controller is called. */
export interface AccessExplanation {
  readonly firewall: string;
  /** Firewalls before it whose conditions do not match. */
  readonly passed: readonly string[];
  readonly isSecured: boolean;
  readonly isStateless: boolean;
  readonly provider: string;
  readonly authenticators: readonly string[];
  /** Where anonymous visitors are sent; undefined if there is none. */
  readonly entryPoint: string | undefined;
  /** The parts of the firewall that answer the request themselves: `logout`, or authenticator names. */
  readonly answeredBy: readonly string[];
  /** The first matching access rule: its position and conditions (`1 (path /admin)`). */
  readonly rule: string | undefined;
  /** The rule's requirements, one of which must be met. */
  readonly ruleRequires: readonly string[];
  /** The scheme to which the rule redirects. */
  readonly redirectsTo: 'http' | 'https' | undefined;
  /** The controller's `isGranted` requirements, all of which must be met. */
  readonly controllerRequires: readonly string[];
}

/** Creates the function that explains which firewall, rule and entry point apply to a request; calls no voters. */
export function createAccessExplainer(set: FirewallSet): (asked: AskedRequest) => AccessExplanation {
  return (asked) => {
    const { route } = asked;
    const request = requestOf(asked);
    const at = set.firewalls.findIndex((firewall) => firewall.matches(request));
    const firewall = set.firewalls[at] ?? set.open;
    const passed = at === -1 ? set.firewalls : set.firewalls.slice(0, at);
    const rule = firewall.isSecured ? findRule(set.rules, request, asked.ownGuard) : undefined;
    return {
      firewall: firewall.name,
      passed: passed.map(({ name }) => name),
      isSecured: firewall.isSecured,
      isStateless: firewall.isStateless,
      provider: firewall.provider.name,
      authenticators: firewall.authenticators.map(({ name }) => name),
      entryPoint: firewall.entryPoint?.name,
      answeredBy: answeredBy(firewall, request),
      rule: rule?.name,
      ruleRequires: rule?.allow.map(requirementName) ?? [],
      redirectsTo: rule?.scheme === undefined || rule.scheme === asked.scheme ? undefined : rule.scheme,
      controllerRequires: declaredRequirements(route?.controller).map(requirementName),
    };
  };
}

function requestOf({ method, target, host, scheme, route }: AskedRequest): HttpRequest {
  const request = new HttpRequest({
    method,
    target,
    rawHeaders: ['Host', host],
    httpVersion: '1.1',
    peer: { address: '127.0.0.1', port: 0, encrypted: scheme === 'https' },
  });
  if (route !== undefined) {
    const { name, path, parameters } = route;
    request.scope.set(requestRoute, { name, path, parameters });
  }
  return request;
}

function findRule(
  rules: readonly CompiledAccessRule[],
  request: HttpRequest,
  word: string | undefined,
): CompiledAccessRule | undefined {
  return rules.find((rule) => (word === undefined || rule.mentions(word)) && rule.matches(request));
}

function answeredBy(firewall: Firewall, request: HttpRequest): string[] {
  if (!firewall.isSecured) return [];
  return answersOf(firewall, request)
    .filter(([, methods]) => methods.includes(request.method))
    .map(([name]) => name);
}
