import type { SecurityToken } from '../authentication/authenticator.js';
import type { Voter } from './voter.js';

/** Attribute that is granted to everyone, including anonymous visitors. */
export const PUBLIC_ACCESS = 'PUBLIC_ACCESS';

/** Attribute that is granted after the first factor of a login, until the second factor is passed. */
const secondFactorInProgress = 'IS_AUTHENTICATED_2FA_IN_PROGRESS';

const authenticationAttributes: Readonly<Record<string, (token: SecurityToken) => boolean>> = {
  IS_AUTHENTICATED: () => true,
  IS_AUTHENTICATED_REMEMBERED: () => true,
  IS_AUTHENTICATED_FULLY: (token) => token.strength === 'full',
  IS_REMEMBERED: (token) => token.strength === 'remembered',
  IS_IMPERSONATOR: (token) => token.impersonator !== undefined,
};

/**
 * Creates the voter for attributes of the authentication: `IS_AUTHENTICATED`, `…_FULLY`, `…_REMEMBERED`,
 * `IS_AUTHENTICATED_2FA_IN_PROGRESS`, `IS_REMEMBERED`, `IS_IMPERSONATOR` and `PUBLIC_ACCESS`.
 */
export function createAuthenticatedVoter(): Voter {
  return {
    name: 'authenticated',
    vote({ attribute, token, pending }) {
      if (attribute === PUBLIC_ACCESS) return { verdict: 'grant', reason: 'open to everyone' };
      if (attribute === secondFactorInProgress) {
        const verdict = pending === undefined ? 'deny' : 'grant';
        return { verdict, reason: pending === undefined ? 'no login under way' : 'second factor to come' };
      }
      const holds = Object.hasOwn(authenticationAttributes, attribute)
        ? authenticationAttributes[attribute]
        : undefined;
      if (holds === undefined) return { verdict: 'abstain' };
      if (token === undefined) return { verdict: 'deny', reason: 'not logged in' };
      const how = `${token.strength} login${token.impersonator === undefined ? '' : ', impersonated'}`;
      return { verdict: holds(token) ? 'grant' : 'deny', reason: how };
    },
  };
}
