import type { SecurityUser } from 'lookback/security';

/** A user who can log in. */
export class User implements SecurityUser {
  declare id: number;
  declare identifier: string;
  declare passwordHash: string;
  /** One role is enough: each includes the ones before it. */
  declare roles: readonly [Role];
}

/** In ascending order of permissions. */
export const roles = ['ROLE_READER', 'ROLE_EDITOR', 'ROLE_ADMIN'] as const;
export type Role = (typeof roles)[number];

export function isRole(text: string): text is Role {
  return (roles as readonly string[]).includes(text); // a list of known strings is a list of strings
}
