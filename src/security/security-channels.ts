import { channel } from 'node:diagnostics_channel';
import type { AccessDecision } from './authorization/access-decision.js';
import type { Firewall } from './firewall/firewall.js';
import type { AuthenticatorAttempt, RequestSecurity } from './request-security.js';

/**
 * Facts for whoever listens, published within the request's scope; nothing is made while nobody does.
 * `authentication`: when the firewall is through with a
 * request, and again when a lazy one has looked; the last one holds. `decision`: for every access decision.
 */
export const securityChannels = {
  authentication: 'lookback:security:authentication',
  decision: 'lookback:security:decision',
  session: 'lookback:security:session',
} as const;

/** Published on `lookback:security:authentication`. */
export interface AuthenticationFacts {
  readonly firewall: string;
  readonly isSecured: boolean;
  readonly isStateless: boolean;
  readonly isLazy: boolean;
  readonly provider: string;
  readonly entryPoint: string | undefined;
  readonly authenticators: readonly string[];
  readonly attempts: readonly AuthenticatorAttempt[];
  /** Absent for strangers, and where a lazy firewall has not looked yet. */
  readonly token: TokenFacts | undefined;
}

export interface TokenFacts {
  readonly identifier: string;
  readonly roles: readonly string[];
  readonly authenticator: string;
  readonly strength: string;
  readonly impersonator: string | undefined;
}

/** Published on `lookback:security:decision`. */
export interface DecisionFacts extends AccessDecision {
  readonly firewall: string;
}

const authentication = channel(securityChannels.authentication);
const decisions = channel(securityChannels.decision);

/** What is said of strangers whom nobody examined: for each firewall always the same. */
const strangers = new WeakMap<Firewall, AuthenticationFacts>();

export function publishAuthentication(security: RequestSecurity): void {
  if (!authentication.hasSubscribers) return;
  const token = tokenFacts(security);
  const isUnexamined = token === undefined && security.attempts.length === 0;
  authentication.publish(
    isUnexamined
      ? strangerFacts(security.firewall)
      : authenticationFacts(security.firewall, security.attempts, token),
  );
}

function strangerFacts(firewall: Firewall): AuthenticationFacts {
  let facts = strangers.get(firewall);
  if (facts === undefined) strangers.set(firewall, (facts = authenticationFacts(firewall, [], undefined)));
  return facts;
}

function authenticationFacts(
  firewall: Firewall,
  attempts: readonly AuthenticatorAttempt[],
  token: TokenFacts | undefined,
): AuthenticationFacts {
  return Object.freeze({
    firewall: firewall.name,
    isSecured: firewall.isSecured,
    isStateless: firewall.isStateless,
    isLazy: firewall.isLazy,
    provider: firewall.provider.name,
    entryPoint: firewall.entryPoint?.name,
    authenticators: Object.freeze(firewall.authenticators.map(({ name }) => name)),
    attempts: Object.freeze([...attempts]),
    token,
  });
}

export function publishDecision(security: RequestSecurity, decision: AccessDecision): void {
  if (!decisions.hasSubscribers) return;
  const facts: DecisionFacts = { ...decision, firewall: security.firewall.name };
  decisions.publish(facts);
}

function tokenFacts(security: RequestSecurity): TokenFacts | undefined {
  const token = security.tokenIfKnown;
  if (token === undefined) return undefined;
  return {
    identifier: token.user.identifier,
    roles: [...token.user.roles],
    authenticator: token.authenticator,
    strength: token.strength,
    impersonator: token.impersonator?.user.identifier,
  };
}
