import type { HttpRequest } from '#http';
import type { ExpiringStore } from '../stores/expiring-store.js';
import type { CsrfGuard } from '../csrf/csrf-guard.js';
import type { Passwords } from '../passwords/passwords.js';
import type { SecurityUser } from '../users/security-user.js';
import type { UserProvider } from '../users/user-provider.js';

/** What a badge may need to be checked. */
export interface PassportContext {
  readonly request: HttpRequest;
  /** The user the passport names; undefined when there is none (a check must then take as long, and fail). */
  readonly user: SecurityUser | undefined;
  readonly provider: UserProvider;
  readonly passwords: Passwords;
  readonly csrf: CsrfGuard | undefined;
  /** The session store, where all processes share it: for what is to be counted once. */
  readonly store?: ExpiringStore | undefined;
}

/** One condition of a passport. It is met when its check does not throw, or when a listener sets `isResolved`. */
export interface Badge {
  readonly name: string;
  isResolved: boolean;
  /** Checked before the try is counted and before the user is looked for (`user` is then undefined). */
  readonly isPreliminary?: boolean;
  /** Throws an `AuthenticationError` where the condition is not met. */
  check?(context: PassportContext): void | Promise<void>;
}

/** What an authenticator found in a request: who it claims to be, and on which conditions that is believed. */
export interface Passport {
  /** Identifier of the user, as the provider knows it. */
  readonly identifier: string;
  readonly badges: readonly Badge[];
  /** The user, where the authenticator knows better than the firewall's provider. */
  readonly loadUser?: () => SecurityUser | undefined | Promise<SecurityUser | undefined>;
  /** True where guessing is to be slowed down: passwords. */
  readonly isThrottled?: boolean;
  /** Whether the user asked to be remembered. */
  readonly wantsRememberMe?: boolean;
}
