/** The members of a problem document (RFC 9457) as the framework sends it. */
export interface ClientProblemDocument {
  readonly title?: string;
  readonly detail?: string;
  /** Code of the problem; for a failed login its reason, e.g. `credentials`. */
  readonly code?: string;
  readonly violations?: readonly {
    readonly path: string;
    readonly message: string;
    readonly code: string;
    readonly in?: string;
  }[];
}

/**
 * Thrown for a response with a status from 400 on. The message is the detail, otherwise the title, of the problem
 * document.
 */
export class ClientError extends Error {
  readonly status: number;
  /** The problem document; empty if the response has none. */
  readonly problem: ClientProblemDocument;
  readonly headers: Headers;

  constructor(status: number, problem: ClientProblemDocument, headers: Headers) {
    super(problem.detail ?? problem.title ?? `The server answered ${status}.`);
    this.name = 'ClientError';
    this.status = status;
    this.problem = problem;
    this.headers = headers;
  }
}
