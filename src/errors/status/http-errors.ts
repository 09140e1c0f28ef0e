import { HttpError, nameClass, type HttpErrorOptions } from './http-error.js';

/** 400: The request cannot be understood: malformed bytes, Host, path, body or parameters. */
export class BadRequestError extends HttpError {
  constructor(message: string, options?: HttpErrorOptions) {
    super(400, message, options);
  }

  static {
    nameClass(this, 'BadRequestError');
  }
}

/** 403: The user is known, or needs no name, and may not do this. */
export class ForbiddenError extends HttpError {
  constructor(message: string, options?: HttpErrorOptions) {
    super(403, message, options);
  }

  static {
    nameClass(this, 'ForbiddenError');
  }
}

/** 404: Nothing is found at this address. */
export class NotFoundError extends HttpError {
  constructor(message: string, options?: HttpErrorOptions) {
    super(404, message, options);
  }

  static {
    nameClass(this, 'NotFoundError');
  }
}

/** 406: No form of the answer is acceptable to the client. */
export class NotAcceptableError extends HttpError {
  constructor(message: string, options?: HttpErrorOptions) {
    super(406, message, options);
  }

  static {
    nameClass(this, 'NotAcceptableError');
  }
}

/** 408: The client took too long to send its request. */
export class RequestTimeoutError extends HttpError {
  constructor(message: string, options?: HttpErrorOptions) {
    super(408, message, options);
  }

  static {
    nameClass(this, 'RequestTimeoutError');
  }
}

/** 409: The request conflicts with the present state. */
export class ConflictError extends HttpError {
  constructor(message: string, options?: HttpErrorOptions) {
    super(409, message, options);
  }

  static {
    nameClass(this, 'ConflictError');
  }
}

/** 410: What was here is gone for good. */
export class GoneError extends HttpError {
  constructor(message: string, options?: HttpErrorOptions) {
    super(410, message, options);
  }

  static {
    nameClass(this, 'GoneError');
  }
}

/** 413: The body is over the limit. */
export class PayloadTooLargeError extends HttpError {
  constructor(message: string, options?: HttpErrorOptions) {
    super(413, message, options);
  }

  static {
    nameClass(this, 'PayloadTooLargeError');
  }
}

/** 414: The request target is over the limit. */
export class UriTooLongError extends HttpError {
  constructor(message: string, options?: HttpErrorOptions) {
    super(414, message, options);
  }

  static {
    nameClass(this, 'UriTooLongError');
  }
}

/** 415: The body has a type or encoding that is not read here. */
export class UnsupportedMediaTypeError extends HttpError {
  constructor(message: string, options?: HttpErrorOptions) {
    super(415, message, options);
  }

  static {
    nameClass(this, 'UnsupportedMediaTypeError');
  }
}

/** 422: The content was read but does not hold what it should. */
export class UnprocessableContentError extends HttpError {
  constructor(message: string, options?: HttpErrorOptions) {
    super(422, message, options);
  }

  static {
    nameClass(this, 'UnprocessableContentError');
  }
}

/** 431: The header block is over the limit. */
export class HeaderFieldsTooLargeError extends HttpError {
  constructor(message: string, options?: HttpErrorOptions) {
    super(431, message, options);
  }

  static {
    nameClass(this, 'HeaderFieldsTooLargeError');
  }
}

/** 500: Something on this side went wrong, and the message may say what. */
export class InternalServerError extends HttpError {
  constructor(message: string, options?: HttpErrorOptions) {
    super(500, message, options);
  }

  static {
    nameClass(this, 'InternalServerError');
  }
}

/** 501: The method or transfer coding is not known here. */
export class NotImplementedError extends HttpError {
  constructor(message: string, options?: HttpErrorOptions) {
    super(501, message, options);
  }

  static {
    nameClass(this, 'NotImplementedError');
  }
}
