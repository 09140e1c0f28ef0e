/** Headers of an error response; names are sent in the case given here. */
export type ErrorHeaders = Readonly<Record<string, string>>;

/** One fault in the data that the client sent. */
export interface Violation {
  /** Path of the faulty value: `items[0].price`; empty for the whole. */
  readonly path: string;
  /** Explanation for people. */
  readonly message: string;
  /** Code for programs: the violated rule of the schema (`too_small`), otherwise `invalid`. */
  readonly code: string;
  /** The part of the request, if `path` alone does not identify it. */
  readonly in?: 'path' | 'query' | 'header' | 'body';
}

/** Options of an `HttpError` in addition to its message. */
export interface HttpErrorOptions {
  cause?: unknown;
  headers?: ErrorHeaders;
  /** Whether the message is sent to the client. Default: true for statuses below 500. */
  expose?: boolean;
  /** The individual faults; sent to the client together with the message. */
  violations?: readonly Violation[];
}

/** An error that sets the status, and optionally headers, of the response. Any other thrown value results in 500. */
export class HttpError extends Error {
  readonly #headers: ErrorHeaders;
  readonly #expose: boolean;
  /** Response status, 400 to 599. */
  readonly status: number;
  /** Absent if there are none. */
  declare readonly violations?: readonly Violation[];

  constructor(status: number, message: string, options: HttpErrorOptions = {}) {
    if (!Number.isInteger(status) || status < 400 || status > 599)
      throw new RangeError(`An HttpError needs a status from 400 to 599, not ${String(status)}.`);
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.status = status;
    this.#headers = { ...options.headers };
    this.#expose = options.expose ?? status < 500;
    if (options.violations !== undefined) this.violations = options.violations;
  }

  /** Whether message and violations are sent to the client, in production too. */
  get expose(): boolean {
    return this.#expose;
  }

  /** Headers to send with the response. */
  get headers(): ErrorHeaders {
    return this.#headers;
  }

  /** Returns whether the value is an instance of this class or a subclass; a private-field check that no Proxy can trap. */
  static is(value: unknown): value is HttpError {
    return typeof value === 'object' && value !== null && #headers in value;
  }

  static {
    nameClass(this, 'HttpError');
  }
}

/** Returns true for an `HttpError`; false for proxies and look-alikes. */
export function isHttpError(value: unknown): value is HttpError {
  return HttpError.is(value);
}

/** Sets `name` on the prototype: an own property would be listed among the error's data. */
export function nameClass(made: { prototype: Error }, name: string): void {
  Object.defineProperty(made.prototype, 'name', { value: name, configurable: true, writable: true });
}

/**
 * Calls `make`; errors created during the call have no stack. Capturing a stack takes ten times as long as the rest of
 * creating an error. Use this for expected outcomes, whose stack is never shown.
 */
export function withoutStack<Made>(make: () => Made): Made {
  const { stackTraceLimit } = Error;
  // `Reflect.set` does not throw if the built-ins are frozen; the stack is then captured as usual.
  Reflect.set(Error, 'stackTraceLimit', 0);
  try {
    return make();
  } finally {
    Reflect.set(Error, 'stackTraceLimit', stackTraceLimit);
  }
}
