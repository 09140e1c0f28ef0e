import type { RequestUser } from '#http';

/** A user as security needs one. An application's own user class fits as soon as it has these. */
export interface SecurityUser extends RequestUser {
  /** What the password hasher made; absent for users who cannot sign in by password. */
  readonly passwordHash?: string | undefined;
  /** False keeps the user out, also out of sessions that are open. Default true. */
  readonly isEnabled?: boolean | undefined;
}
