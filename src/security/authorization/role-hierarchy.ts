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
