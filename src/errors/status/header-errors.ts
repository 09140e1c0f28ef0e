import { HttpError, nameClass, type HttpErrorOptions } from './http-error.js';

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

/** 401: the client has to say who it is. `challenge` is sent as `WWW-Authenticate`, e.g. `Bearer realm="api"`. */
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
