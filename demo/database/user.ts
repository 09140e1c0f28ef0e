import type { SecurityUser } from 'lookback/security';

/** Someone who can log in. */
export class User implements SecurityUser {
  declare id: number;
  declare identifier: string;
  declare passwordHash: string;
  /** One is enough: each may do what those before it may. */
  declare roles: readonly [Role];
}

/** The least first. */
export const roles = ['ROLE_READER', 'ROLE_EDITOR', 'ROLE_ADMIN'] as const;
export type Role = (typeof roles)[number];

export function isRole(text: string): text is Role {
  return (roles as readonly string[]).includes(text); // a list of some strings is a list of strings
}
