import { channel } from 'node:diagnostics_channel';
import type { AccessDecision } from '../authorization/access-decision.js';
import type { RequestSecurity } from './request-security.js';

/**
 * Names of the diagnostics channels of security. Messages are published within the scope of the request, and only created
 * if there are subscribers. `authentication`: when the firewall has evaluated a request, and again when a lazy firewall has
 * loaded the user; the last message is valid. `decision`: for every access decision. `session`: for every session value
 * that the application reads or writes.
 */
export const securityChannels = {
  authentication: 'lookback:security:authentication',
  decision: 'lookback:security:decision',
  session: 'lookback:security:session',
} as const;

/** Published on `lookback:security:decision`. */
export interface DecisionFacts extends AccessDecision {
  readonly firewall: string;
}

const authentication = channel(securityChannels.authentication);
const decisions = channel(securityChannels.decision);

/** Publishes the `RequestAuthentication` on `lookback:security:authentication`. */
export function publishAuthentication(security: RequestSecurity): void {
  if (authentication.hasSubscribers) authentication.publish(security.authentication);
}

export function publishDecision(security: RequestSecurity, decision: AccessDecision): void {
  if (!decisions.hasSubscribers) return;
  const facts: DecisionFacts = { ...decision, firewall: security.firewall.name };
  decisions.publish(facts);
}
