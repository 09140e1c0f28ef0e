import type { HttpRequest } from '#http';
import type { SecurityToken } from '../authentication/authenticator.js';

/** The question for voters: may this token do `attribute` to `subject`? */
export interface AccessQuestion {
  /** A role (`ROLE_ADMIN`), a degree of authentication (`IS_AUTHENTICATED`) or a permission of the application (`edit`). */
  readonly attribute: string;
  /** What it is to be done to: any object of the application, or undefined. */
  readonly subject: unknown;
  /** Undefined for a stranger. */
  readonly token: SecurityToken | undefined;
  /** The user who has passed the first step of a login but not the second: not logged in yet. */
  readonly pending?: SecurityToken | undefined;
  /** The user's roles with those that they include. */
  readonly roles: ReadonlySet<string>;
  readonly request: HttpRequest;
}

/** The answer of a voter; `abstain`: the question is not for this voter. */
export interface Vote {
  readonly verdict: 'grant' | 'deny' | 'abstain';
  /** Why, in a few words, for records and logs. */
  readonly reason?: string;
}

/** Port: one opinion on who may do what. Contract suite: `checkVoter`. */
export interface Voter {
  readonly name: string;
  /** Abstains on questions that are none of its business. Must not change anything. */
  vote(question: AccessQuestion): Vote | Promise<Vote>;
}
