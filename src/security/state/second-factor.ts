import type { HttpRequest, HttpResponse } from '#http';
import type { Authenticator } from '../authentication/authenticator.js';
import type { SecurityUser } from '../users/security-user.js';

/**
 * What is asked after the first factor (`totp(...)`). Until it is given the request is a stranger's to every rule,
 * voter and controller; only `IS_AUTHENTICATED_2FA_IN_PROGRESS` holds.
 */
export interface SecondFactor {
  /** Whether this user has to give one. */
  isRequired(user: SecurityUser): boolean | Promise<boolean>;
  /** Judges the code. Its name stands in the attempts of records. */
  readonly authenticator: Authenticator;
  /**
   * Answers a first factor that was given, and later each request that is denied: the way to the code's form. `target` comes
   * with the former: the path that the first step was asked to lead to, or null for none.
   */
  challenge(request: HttpRequest, target?: string | null): HttpResponse;
}
