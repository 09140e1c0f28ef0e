import { STATUS_CODES } from 'node:http';
import { nameErrors } from '#core/coded-error';
import {
  anObject,
  anything,
  checkOptions,
  flag,
  listOf,
  type OptionsSchema,
  optionsSchema,
} from '#core/options';

/** Error response headers; names are sent in the case given here. */
export type ErrorHeaders = Readonly<Record<string, string>>;

/** One problem in the data that the client sent. */
export interface Violation {
  /** Path to the invalid value: `items[0].price`; empty for the whole. */
  readonly path: string;
  /** Human-readable explanation. */
  readonly message: string;
  /** Machine-readable code: the violated schema rule (`too_small`), otherwise `invalid`. */
  readonly code: string;
  /** The part of the request, if `path` alone does not identify it. */
  readonly in?: 'path' | 'query' | 'header' | 'body';
}

/** `HttpError` options in addition to its message. */
export interface HttpErrorOptions {
  cause?: unknown;
  headers?: ErrorHeaders;
  /** Whether the message is sent to the client. Default: true for statuses below 500. */
  expose?: boolean;
  /** The individual faults; sent to the client together with the message. */
  violations?: readonly Violation[];
}

export const httpErrorSchema: OptionsSchema<HttpErrorOptions> = optionsSchema<HttpErrorOptions>({
  cause: anything(),
  headers: anObject(),
  expose: flag,
  violations: listOf(anObject()),
});

/** Returns whether the constructor below created an object: checks a private field, which no Proxy can trap. */
let isMade: (value: object) => boolean;

/** An error that sets the response status and, optionally, headers. Any other thrown value results in 500. */
export class HttpError extends Error {
  readonly #headers: ErrorHeaders;
  readonly #expose: boolean;
  /** Response status, 400 to 599. */
  readonly status: number;
  /** Absent if there are none. */
  declare readonly violations?: readonly Violation[];

  constructor(status: number, message: string, options: HttpErrorOptions = {}) {
    checkOptions('an HttpError', options, httpErrorSchema);
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

  static {
    nameErrors(this, 'HttpError');
    isMade = (value) => #headers in value;
  }
}

/** Returns true for an `HttpError` or an instance of a subclass; false for proxies and look-alikes. */
export function isHttpError(value: unknown): value is HttpError {
  return typeof value === 'object' && value !== null && isMade(value);
}

/** The part of an error that every client may see, in debug mode or not: members of a problem document (RFC 9457). */
export interface ClientProblem {
  readonly type: 'about:blank';
  readonly title: string;
  readonly status: number;
  /** The error's message, if the error exposes it. */
  readonly detail?: string;
  readonly violations?: readonly Violation[];
  /** Machine-readable kind of failure, such as the reason for a failed login. */
  readonly code?: string;
}

const maxDetailLength = 4000;

/** Returns a thrown value's problem: status and title, plus message and violations if an `HttpError` exposes them. */
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

/** Returns the reason phrase of a status code (RFC 9110, even if Node has an older name), or a generic one if it is unknown. */
export function statusText(status: number): string {
  if (status === 413) return 'Content Too Large';
  if (status === 422) return 'Unprocessable Content';
  if (status < 400) return STATUS_CODES[status] ?? 'Unknown';
  return STATUS_CODES[status] ?? (status >= 500 ? 'Server Error' : 'Error');
}

/** A subclass of `HttpError` with a fixed status. */
interface StatusErrorClass {
  new (message: string, options?: HttpErrorOptions): HttpError;
}

function statusError(status: number, name: string): StatusErrorClass {
  class StatusError extends HttpError {
    constructor(message: string, options?: HttpErrorOptions) {
      super(status, message, options);
    }
  }
  Object.defineProperty(StatusError, 'name', { value: name });
  nameErrors(StatusError, name);
  return StatusError;
}

/** 400: The request cannot be understood: malformed bytes, Host, path, body or parameters. */
export const BadRequestError: StatusErrorClass = statusError(400, 'BadRequestError');
export type BadRequestError = HttpError;

/** 403: The user, authenticated or not, may not do this. */
export const ForbiddenError: StatusErrorClass = statusError(403, 'ForbiddenError');
export type ForbiddenError = HttpError;

/** 404: There is nothing at this URL. */
export const NotFoundError: StatusErrorClass = statusError(404, 'NotFoundError');
export type NotFoundError = HttpError;

/** 408: The client took too long to send its request. */
export const RequestTimeoutError: StatusErrorClass = statusError(408, 'RequestTimeoutError');
export type RequestTimeoutError = HttpError;

/** 409: The request conflicts with the current state. */
export const ConflictError: StatusErrorClass = statusError(409, 'ConflictError');
export type ConflictError = HttpError;

/** 413: The body is over the limit. */
export const PayloadTooLargeError: StatusErrorClass = statusError(413, 'PayloadTooLargeError');
export type PayloadTooLargeError = HttpError;

/** 414: The request target is over the limit. */
export const UriTooLongError: StatusErrorClass = statusError(414, 'UriTooLongError');
export type UriTooLongError = HttpError;

/** 415: The body has an unsupported type or encoding. */
export const UnsupportedMediaTypeError: StatusErrorClass = statusError(415, 'UnsupportedMediaTypeError');
export type UnsupportedMediaTypeError = HttpError;

/** 422: The content could be parsed but is not valid. */
export const UnprocessableContentError: StatusErrorClass = statusError(422, 'UnprocessableContentError');
export type UnprocessableContentError = HttpError;

/** 431: The header block is over the limit. */
export const HeaderFieldsTooLargeError: StatusErrorClass = statusError(431, 'HeaderFieldsTooLargeError');
export type HeaderFieldsTooLargeError = HttpError;

/** 405: The path exists, but not for this method. Sets `Allow`. */
export class MethodNotAllowedError extends HttpError {
  /** Methods that this path allows. */
  readonly allowed: readonly string[];

  constructor(allowed: readonly string[], message: string, options: HttpErrorOptions = {}) {
    super(405, message, { ...options, headers: { ...options.headers, Allow: allowed.join(', ') } });
    this.allowed = [...allowed];
  }
}

/** 401: The client has to authenticate. `challenge` is sent as `WWW-Authenticate`, e.g. `Bearer realm="api"`. */
export class UnauthorizedError extends HttpError {
  constructor(challenge: string, message: string, options: HttpErrorOptions = {}) {
    super(401, message, { ...options, headers: { ...options.headers, 'WWW-Authenticate': challenge } });
  }
}

/** 429: The client sent too many requests. `retryAfter`, in seconds, is sent as `Retry-After`. */
export class TooManyRequestsError extends HttpError {
  constructor(retryAfter: number | undefined, message: string, options: HttpErrorOptions = {}) {
    super(429, message, withRetryAfter(retryAfter, options));
  }
}

/** 503: The service is temporarily unavailable. `retryAfter`, in seconds, is sent as `Retry-After`. */
export class ServiceUnavailableError extends HttpError {
  constructor(retryAfter: number | undefined, message: string, options: HttpErrorOptions = {}) {
    super(503, message, withRetryAfter(retryAfter, options));
  }
}

for (const [name, errorClass] of Object.entries({
  MethodNotAllowedError,
  UnauthorizedError,
  TooManyRequestsError,
  ServiceUnavailableError,
}))
  nameErrors(errorClass, name);

function withRetryAfter(seconds: number | undefined, options: HttpErrorOptions): HttpErrorOptions {
  if (seconds === undefined) return options;
  return {
    ...options,
    headers: { ...options.headers, 'Retry-After': String(Math.max(0, Math.ceil(seconds))) },
  };
}
