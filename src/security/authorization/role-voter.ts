import type { Voter } from './voter.js';

/** Grants what begins with `ROLE_` to users that have the role, directly or by the hierarchy. */
export function createRoleVoter(): Voter {
  return {
    name: 'role',
    vote({ attribute, roles, token }) {
      if (!attribute.startsWith('ROLE_')) return { verdict: 'abstain' };
      if (token === undefined) return { verdict: 'deny', reason: 'a stranger has no roles' };
      return roles.has(attribute)
        ? { verdict: 'grant', reason: `the user has ${attribute}` }
        : { verdict: 'deny', reason: `the user has ${[...roles].join(', ') || 'no role'}` };
    },
  };
}
