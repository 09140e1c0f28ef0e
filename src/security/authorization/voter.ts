import type { HttpRequest } from '#http';
import type { SecurityToken } from '../authentication/authenticator.js';

/** The question for voters: may the user of this token do `attribute` to `subject`? */
export interface AccessQuestion {
  /**
   * A role (`ROLE_ADMIN`), an attribute of the authentication (`IS_AUTHENTICATED`) or a permission of the application
   * (`edit`).
   */
  readonly attribute: string;
  /** The object that access is requested to: any value of the application, or undefined. */
  readonly subject: unknown;
  /** Undefined for an anonymous visitor. */
  readonly token: SecurityToken | undefined;
  /** Token of a user who has passed the first factor of a login but not the second, and is not logged in yet. */
  readonly pending?: SecurityToken | undefined;
  /** The roles of the user, with all included roles. */
  readonly roles: ReadonlySet<string>;
  readonly request: HttpRequest;
}

/** The answer of a voter; `abstain` if the voter has no opinion on the question. */
export interface Vote {
  readonly verdict: 'grant' | 'deny' | 'abstain';
  /** Short reason, for records and logs. */
  readonly reason?: string;
}

/** Port: votes on access questions. Contract suite: `checkVoter`. */
export interface Voter {
  readonly name: string;
  /** Must abstain on questions that it does not decide on, and must not have side effects. */
  vote(question: AccessQuestion): Vote | Promise<Vote>;
}
