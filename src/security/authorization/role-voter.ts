import type { Voter } from './voter.js';

/** Which roles a role includes: `{ ROLE_ADMIN: ['ROLE_EDITOR'], ROLE_EDITOR: ['ROLE_READER'] }`. */
export type RoleHierarchy = Readonly<Record<string, readonly string[]>>;

/** Makes the function from a user's roles to these and all they include, however deep; circles do no harm. */
export function compileRoleHierarchy(
  hierarchy: RoleHierarchy,
): (roles: readonly string[]) => ReadonlySet<string> {
  const includes = new Map(Object.entries(hierarchy));
  return (roles) => {
    const reached = new Set<string>();
    const open = [...roles];
    for (let role = open.pop(); role !== undefined; role = open.pop()) {
      if (reached.has(role)) continue;
      reached.add(role);
      open.push(...(includes.get(role) ?? []));
    }
    return reached;
  };
}

/** Grants what begins with `ROLE_` to users that have the role, directly or by the hierarchy. */
export function createRoleVoter(): Voter {
  return {
    name: 'role',
    vote({ attribute, roles, token }) {
      if (!attribute.startsWith('ROLE_')) return { verdict: 'abstain' };
      if (token === undefined) return { verdict: 'deny', reason: 'an anonymous visitor has no roles' };
      return roles.has(attribute)
        ? { verdict: 'grant', reason: `the user has ${attribute}` }
        : { verdict: 'deny', reason: `the user has ${[...roles].join(', ') || 'no role'}` };
    },
  };
}
