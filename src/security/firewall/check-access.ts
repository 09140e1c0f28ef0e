import type { HttpRequest } from '#http';
import { securityOf } from '../state/request-security.js';
import { publishDecision } from '../state/security-channels.js';
import type { SecurityServices } from '../state/security-services.js';
import type { SecurityToken } from '../authentication/authenticator.js';
import type { AccessDecision } from '../authorization/access-decision.js';
import { type AccessRequirement, decideAccess } from '../authorization/decide-access.js';

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
    pending: security.pending?.token,
    subject,
  });
  if (security.decisions.length < maxDecisions) security.decisions.push(decision);
  publishDecision(security, decision);
  return decision;
}

/** Maximum number of decisions stored per request: a template may check access for every row of a table. */
const maxDecisions = 200;
