import { HttpError, nameClass, type HttpErrorOptions } from './http-error.js';

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

/** 406: No form of the answer is acceptable to the client. */
export const NotAcceptableError: StatusErrorClass = statusError(406, 'NotAcceptableError');
export type NotAcceptableError = HttpError;

/** 408: The client took too long to send its request. */
export const RequestTimeoutError: StatusErrorClass = statusError(408, 'RequestTimeoutError');
export type RequestTimeoutError = HttpError;

/** 409: The request conflicts with the present state. */
export const ConflictError: StatusErrorClass = statusError(409, 'ConflictError');
export type ConflictError = HttpError;

/** 410: What was here is gone for good. */
export const GoneError: StatusErrorClass = statusError(410, 'GoneError');
export type GoneError = HttpError;

/** 413: The body is over the limit. */
export const PayloadTooLargeError: StatusErrorClass = statusError(413, 'PayloadTooLargeError');
export type PayloadTooLargeError = HttpError;

/** 414: The request target is over the limit. */
export const UriTooLongError: StatusErrorClass = statusError(414, 'UriTooLongError');
export type UriTooLongError = HttpError;

/** 415: The body has a type or encoding that is not read here. */
export const UnsupportedMediaTypeError: StatusErrorClass = statusError(415, 'UnsupportedMediaTypeError');
export type UnsupportedMediaTypeError = HttpError;

/** 422: The content was read but does not hold what it should. */
export const UnprocessableContentError: StatusErrorClass = statusError(422, 'UnprocessableContentError');
export type UnprocessableContentError = HttpError;

/** 431: The header block is over the limit. */
export const HeaderFieldsTooLargeError: StatusErrorClass = statusError(431, 'HeaderFieldsTooLargeError');
export type HeaderFieldsTooLargeError = HttpError;

/** 500: Something on this side went wrong, and the message may say what. */
export const InternalServerError: StatusErrorClass = statusError(500, 'InternalServerError');
export type InternalServerError = HttpError;

/** 501: The method or transfer coding is not known here. */
export const NotImplementedError: StatusErrorClass = statusError(501, 'NotImplementedError');
export type NotImplementedError = HttpError;
