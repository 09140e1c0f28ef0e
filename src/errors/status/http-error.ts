/** Headers of the answer to an error, in the case they are to be sent in. */
export type ErrorHeaders = Readonly<Record<string, string>>;

/** One thing that is wrong with what the client sent. */
export interface Violation {
  /** Where: `items[0].price`; empty for the whole. */
  readonly path: string;
  /** For people. */
  readonly message: string;
  /** For programs: the name of the broken rule in the schema (`too_small`), otherwise `invalid`. */
  readonly code: string;
  /** The part of the request, if `path` alone does not identify it. */
  readonly in?: 'path' | 'query' | 'header' | 'body';
}

/** Options of an error for the client, in addition to its message. */
export interface HttpErrorOptions {
  cause?: unknown;
  headers?: ErrorHeaders;
  /** Whether the client is sent the message. Default: below 500. */
  expose?: boolean;
  /** The faults one by one; sent to the client with the message. */
  violations?: readonly Violation[];
}

/** An error that sets the status, and optionally headers, of the answer. Anything else that is thrown answers 500. */
export class HttpError extends Error {
  readonly #headers: ErrorHeaders;
  readonly #expose: boolean;
  /** Status of the answer, 400 to 599. */
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

  /** Whether the client is sent the message and the violations, in production too. */
  get expose(): boolean {
    return this.#expose;
  }

  /** Headers to send with the answer. */
  get headers(): ErrorHeaders {
    return this.#headers;
  }

  /** True for errors of this class and its children; reads nothing that a foreign object could have trapped. */
  static is(value: unknown): value is HttpError {
    return typeof value === 'object' && value !== null && #headers in value;
  }

  static {
    nameClass(this, 'HttpError');
  }
}

/** True for an `HttpError`; false for proxies and look-alikes, whatever they do. */
export function isHttpError(value: unknown): value is HttpError {
  return HttpError.is(value);
}

/** Puts the name on the prototype: an own property would be listed with the error's data. */
export function nameClass(made: { prototype: Error }, name: string): void {
  Object.defineProperty(made.prototype, 'name', { value: name, configurable: true, writable: true });
}

/**
 * Calls `make` and leaves the errors created in it without stacks: V8 walks the stack for each error, which takes ten
 * times as long as everything else about it. For expected outcomes, whose stack is never shown.
 */
export function withoutStack<Made>(make: () => Made): Made {
  const { stackTraceLimit } = Error;
  // By Reflect: where the built-ins are frozen the stack is taken, and nothing is thrown.
  Reflect.set(Error, 'stackTraceLimit', 0);
  try {
    return make();
  } finally {
    Reflect.set(Error, 'stackTraceLimit', stackTraceLimit);
  }
}
