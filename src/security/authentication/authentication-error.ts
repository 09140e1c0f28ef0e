import { nameErrors } from '#coded-error';

/** Reason why an authentication failed. Stable, and safe to show to the client. */
export type AuthenticationFailure =
  | 'credentials'
  | 'throttled'
  | 'csrf'
  | 'disabled'
  | 'expired'
  | 'malformed'
  | 'token'
  | 'theft'
  | 'second-factor'
  | 'code'
  | 'state'
  | 'provider';

const messages: Readonly<Record<AuthenticationFailure, string>> = {
  credentials: 'Invalid credentials.',
  throttled: 'Too many failed logins, please try again later.',
  csrf: 'The form did not come from this site, or is too old.',
  // The same text as for a wrong password, so that it does not reveal which accounts exist.
  disabled: 'Invalid credentials.',
  expired: 'The link or login has expired.',
  malformed: 'The login data are incomplete.',
  token: 'The access token is invalid.',
  'second-factor': 'The code of the second factor is needed.',
  code: 'The code is wrong or was used before.',
  state: 'The login was not begun in this browser, or too long ago.',
  provider: 'The other site did not confirm the login.',
  theft: 'This login was already used elsewhere; all of its devices are signed out.',
};

export interface AuthenticationErrorOptions {
  readonly cause?: unknown;
  /** Seconds to wait before the next attempt. */
  readonly retryAfter?: number;
}

/**
 * Thrown if the credentials of a request are invalid. `message` may be shown to the client; `detail` has the real cause.
 */
export class AuthenticationError extends Error {
  readonly reason: AuthenticationFailure;
  /** The real cause, for logs and records; must not be shown to the client. */
  readonly detail: string;
  readonly retryAfter: number | undefined;

  constructor(reason: AuthenticationFailure, detail: string, options: AuthenticationErrorOptions = {}) {
    super(messages[reason], options.cause === undefined ? undefined : { cause: options.cause });
    this.reason = reason;
    this.detail = detail;
    this.retryAfter = options.retryAfter;
  }

  static {
    nameErrors(this, 'AuthenticationError');
  }
}

/** Returns the message for a failure reason, e.g. from a query parameter; undefined if there is no such reason. */
export function failureMessage(reason: string): string | undefined {
  return Object.hasOwn(messages, reason) ? messages[reason as AuthenticationFailure] : undefined; // hasOwn has just found it in the table
}
