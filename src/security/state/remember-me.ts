import type { HttpRequest } from '#http';
import type { Authenticator } from '../authentication/authenticator.js';
import type { ExpiringStore } from '../stores/expiring-store.js';
import type { SecurityUser } from '../users/security-user.js';

export interface RememberMeOptions {
  /** Keeps an entry for each device, with a token that changes at use, and detects theft. Without it the cookie is only signed. */
  readonly store?: ExpiringStore;
  /** Default 31,536,000: a year. */
  readonly lifetimeSeconds?: number;
  /** Remembers without being asked. Default false. */
  readonly always?: boolean;
  /** Default `remember_me`; over HTTPS with the prefix `__Host-`. */
  readonly cookie?: string;
  readonly sameSite?: 'Strict' | 'Lax';
}

/** Where a cookie is left for the response: the security of the request. */
export interface RememberMeSlot {
  rememberMeCookie: string | undefined;
}

/** Brings users back after their session is gone, by a cookie bound to user, password and (with a store) device. */
export interface RememberMe {
  /** Reads the cookie. */
  readonly authenticator: Authenticator;
  /** After a full login: a cookie where it was asked for, and none where it was not. */
  remember(
    request: HttpRequest,
    user: SecurityUser,
    options: { readonly wanted: boolean; readonly security: RememberMeSlot },
  ): Promise<void>;
  /** Removes the cookie, and the device where there is a store. */
  forget(request: HttpRequest, security: RememberMeSlot): Promise<void>;
}
