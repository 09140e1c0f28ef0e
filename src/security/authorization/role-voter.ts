import type { Voter } from './voter.js';

/** The roles that each role includes: `{ ROLE_ADMIN: ['ROLE_EDITOR'], ROLE_EDITOR: ['ROLE_READER'] }`. */
export type RoleHierarchy = Readonly<Record<string, readonly string[]>>;

/** Returns a function that adds all directly and indirectly included roles to given roles. Cycles are allowed. */
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

/**
 * Creates the voter for attributes that start with `ROLE_`: grants them to users that have the role, directly or through
 * the hierarchy.
 */
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
