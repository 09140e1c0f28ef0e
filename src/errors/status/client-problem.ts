import { isHttpError } from './http-error.js';
import type { Violation } from './http-error.js';
import { statusText } from './status-text.js';

/** What every client may know of an error, in debug and outside of it: the members of its problem document (RFC 9457). */
export interface ClientProblem {
  readonly type: 'about:blank';
  readonly title: string;
  readonly status: number;
  /** The message, if the error exposes it to the client. */
  readonly detail?: string;
  readonly violations?: readonly Violation[];
  /** The kind of failure, for programs: of a login that failed, its reason. */
  readonly code?: string;
}

const maxDetailLength = 4000;

/** The problem of a thrown value: status and title, and what an `HttpError` exposes. */
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

/** A problem of which only the status may be known. */
export function plainProblem(status: number): ClientProblem {
  return { type: 'about:blank', title: statusText(status), status };
}
