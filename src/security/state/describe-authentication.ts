import type { AuthenticationAttempt, RequestAuthentication } from '#http';
import type { SecurityToken } from '../authentication/security-token.js';
import type { Firewall } from './firewall.js';

/** What is said of strangers whom nobody examined: for each firewall always the same. */
const anonymous = new WeakMap<Firewall, RequestAuthentication>();

export function anonymousAuthentication(firewall: Firewall): RequestAuthentication {
  let facts = anonymous.get(firewall);
  if (facts === undefined) anonymous.set(firewall, (facts = describeAuthentication(firewall, [], undefined)));
  return facts;
}

/** Frozen, as it is now. */
export function describeAuthentication(
  firewall: Firewall,
  attempts: readonly AuthenticationAttempt[],
  token: SecurityToken | undefined,
): RequestAuthentication {
  return Object.freeze({
    firewall: firewall.name,
    isSecured: firewall.isSecured,
    isStateless: firewall.isStateless,
    isLazy: firewall.isLazy,
    provider: firewall.provider.name,
    entryPoint: firewall.entryPoint?.name,
    authenticators: Object.freeze(firewall.authenticators.map(({ name }) => name)),
    attempts: Object.freeze([...attempts]),
    token: token === undefined ? undefined : describeToken(token),
  });
}

function describeToken(token: SecurityToken): RequestAuthentication['token'] {
  return {
    identifier: token.user.identifier,
    roles: [...token.user.roles],
    authenticator: token.authenticator,
    strength: token.strength,
    impersonator: token.impersonator?.user.identifier,
  };
}
