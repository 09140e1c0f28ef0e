import type { HttpRequest } from '#http';
import { securityOf } from '../state/request-security.js';
import { publishDecision } from '../state/security-channels.js';
import type { SecurityServices } from '../state/security-services.js';
import type { SecurityToken } from '../authentication/authenticator.js';
import type { AccessDecision } from '../authorization/access-decision.js';
import { type AccessRequirement, decideAccess } from '../authorization/decide-access.js';

interface AskedAccess {
  readonly requirement: AccessRequirement;
  readonly subject?: unknown;
  /** Who asks. Default: the user of the request. */
  readonly actor?: SecurityToken | undefined;
}

/** Decides for the user of this request, and notes the decision where records look for it. */
export async function askAccess(
  services: SecurityServices,
  request: HttpRequest,
  { requirement, subject, actor }: AskedAccess,
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

/** A template may check every row of a table: what is kept is bounded. */
const maxDecisions = 200;
