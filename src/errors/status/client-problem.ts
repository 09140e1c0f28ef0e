import { isHttpError } from './http-error.js';
import type { Violation } from './http-error.js';
import { statusText } from './status-text.js';

/** The part of an error that every client may see, in debug mode or not: members of a problem document (RFC 9457). */
export interface ClientProblem {
  readonly type: 'about:blank';
  readonly title: string;
  readonly status: number;
  /** Message of the error, if the error exposes it. */
  readonly detail?: string;
  readonly violations?: readonly Violation[];
  /** Machine-readable kind of failure, such as the reason of a failed login. */
  readonly code?: string;
}

const maxDetailLength = 4000;

/** Returns the problem of a thrown value: status and title, plus message and violations if an `HttpError` exposes them. */
export function clientProblem(error: unknown): ClientProblem {
  if (!isHttpError(error)) return plainProblem(500);
  const { status, expose, message, violations } = error;
  if (!expose) return plainProblem(status);
  return {
    ...plainProblem(status),
    ...(message === '' ? {} : { detail: message.slice(0, maxDetailLength) }),
    ...(violations === undefined ? {} : { violations }),
  };
}

/** Returns a problem that reveals only the status. */
export function plainProblem(status: number): ClientProblem {
  return { type: 'about:blank', title: statusText(status), status };
}
