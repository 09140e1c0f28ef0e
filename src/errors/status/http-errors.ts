import { HttpError, type HttpErrorOptions, nameClass } from './http-error.js';

/** A subclass of `HttpError` with a fixed status. */
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

  static {
    nameClass(this, 'MethodNotAllowedError');
  }
}

/** 401: The client has to authenticate. `challenge` is sent as `WWW-Authenticate`, e.g. `Bearer realm="api"`. */
export class UnauthorizedError extends HttpError {
  constructor(challenge: string, message: string, options: HttpErrorOptions = {}) {
    super(401, message, { ...options, headers: { ...options.headers, 'WWW-Authenticate': challenge } });
  }

  static {
    nameClass(this, 'UnauthorizedError');
  }
}

/** 429: The client sent too many requests. `retryAfter`, in seconds, is sent as `Retry-After`. */
export class TooManyRequestsError extends HttpError {
  constructor(retryAfter: number | undefined, message: string, options: HttpErrorOptions = {}) {
    super(429, message, withRetryAfter(retryAfter, options));
  }

  static {
    nameClass(this, 'TooManyRequestsError');
  }
}

/** 503: The service is temporarily unavailable. `retryAfter`, in seconds, is sent as `Retry-After`. */
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
