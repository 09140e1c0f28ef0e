import { HttpError, type HttpErrorOptions, nameClass } from './http-error.js';

/** A class of errors that answer with one status. */
interface StatusErrorClass extends Pick<typeof HttpError, 'is'> {
  new (message: string, options?: HttpErrorOptions): HttpError;
}

function statusError(status: number, name: string): StatusErrorClass {
  class StatusError extends HttpError {
    constructor(message: string, options?: HttpErrorOptions) {
      super(status, message, options);
    }
  }
  Object.defineProperty(StatusError, 'name', { value: name });
  nameClass(StatusError, name);
  return StatusError;
}

/** 400: The request cannot be understood: malformed bytes, Host, path, body or parameters. */
export const BadRequestError: StatusErrorClass = statusError(400, 'BadRequestError');
export type BadRequestError = HttpError;

/** 403: The user is known, or needs no name, and may not do this. */
export const ForbiddenError: StatusErrorClass = statusError(403, 'ForbiddenError');
export type ForbiddenError = HttpError;

/** 404: Nothing is found at this address. */
export const NotFoundError: StatusErrorClass = statusError(404, 'NotFoundError');
export type NotFoundError = HttpError;

/** 408: The client took too long to send its request. */
export const RequestTimeoutError: StatusErrorClass = statusError(408, 'RequestTimeoutError');
export type RequestTimeoutError = HttpError;

/** 409: The request conflicts with the present state. */
export const ConflictError: StatusErrorClass = statusError(409, 'ConflictError');
export type ConflictError = HttpError;

/** 413: The body is over the limit. */
export const PayloadTooLargeError: StatusErrorClass = statusError(413, 'PayloadTooLargeError');
export type PayloadTooLargeError = HttpError;

/** 414: The request target is over the limit. */
export const UriTooLongError: StatusErrorClass = statusError(414, 'UriTooLongError');
export type UriTooLongError = HttpError;

/** 415: the body has an unsupported type or encoding. */
export const UnsupportedMediaTypeError: StatusErrorClass = statusError(415, 'UnsupportedMediaTypeError');
export type UnsupportedMediaTypeError = HttpError;

/** 422: the content could be read but is not valid. */
export const UnprocessableContentError: StatusErrorClass = statusError(422, 'UnprocessableContentError');
export type UnprocessableContentError = HttpError;

/** 431: The header block is over the limit. */
export const HeaderFieldsTooLargeError: StatusErrorClass = statusError(431, 'HeaderFieldsTooLargeError');
export type HeaderFieldsTooLargeError = HttpError;

/** 405: the path is known, but not under this method. Sets `Allow`. */
export class MethodNotAllowedError extends HttpError {
  /** The methods that are allowed here. */
  readonly allowed: readonly string[];

  constructor(allowed: readonly string[], message: string, options: HttpErrorOptions = {}) {
    super(405, message, { ...options, headers: { ...options.headers, Allow: allowed.join(', ') } });
    this.allowed = [...allowed];
  }

  static {
    nameClass(this, 'MethodNotAllowedError');
  }
}

/** 401: the client has to authenticate. `challenge` is sent as `WWW-Authenticate`, e.g. `Bearer realm="api"`. */
export class UnauthorizedError extends HttpError {
  constructor(challenge: string, message: string, options: HttpErrorOptions = {}) {
    super(401, message, { ...options, headers: { ...options.headers, 'WWW-Authenticate': challenge } });
  }

  static {
    nameClass(this, 'UnauthorizedError');
  }
}

/** 429: too many requests. `retryAfter` in seconds is sent as `Retry-After`. */
export class TooManyRequestsError extends HttpError {
  constructor(retryAfter: number | undefined, message: string, options: HttpErrorOptions = {}) {
    super(429, message, withRetryAfter(retryAfter, options));
  }

  static {
    nameClass(this, 'TooManyRequestsError');
  }
}

/** 503: not now. `retryAfter` in seconds is sent as `Retry-After`. */
export class ServiceUnavailableError extends HttpError {
  constructor(retryAfter: number | undefined, message: string, options: HttpErrorOptions = {}) {
    super(503, message, withRetryAfter(retryAfter, options));
  }

  static {
    nameClass(this, 'ServiceUnavailableError');
  }
}

function withRetryAfter(seconds: number | undefined, options: HttpErrorOptions): HttpErrorOptions {
  if (seconds === undefined) return options;
  return {
    ...options,
    headers: { ...options.headers, 'Retry-After': String(Math.max(0, Math.ceil(seconds))) },
  };
}
