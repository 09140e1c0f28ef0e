import type { HttpRequest } from '#http';
import type { SecurityToken } from '../authentication/security-token.js';

/** What is asked: may this token do `attribute` to `subject`? */
export interface AccessQuestion {
  /** A role (`ROLE_ADMIN`), a degree of authentication (`IS_AUTHENTICATED`) or a permission of the application (`edit`). */
  readonly attribute: string;
  /** What it is to be done to: any object of the application, or undefined. */
  readonly subject: unknown;
  /** Undefined for a stranger. */
  readonly token: SecurityToken | undefined;
  /** Who gave the first factor of a login and not yet the second: nobody yet. */
  readonly pending?: SecurityToken | undefined;
  /** The user's roles with those that they include. */
  readonly roles: ReadonlySet<string>;
  readonly request: HttpRequest;
}

/** What a voter answers; `abstain`: the question is none of its own. */
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
