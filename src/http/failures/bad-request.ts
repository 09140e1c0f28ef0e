import type { CodedError } from '#coded-error';
import {
  BadRequestError,
  HeaderFieldsTooLargeError,
  HttpError,
  PayloadTooLargeError,
  RequestTimeoutError,
  UnsupportedMediaTypeError,
  UriTooLongError,
} from '#errors';

/** The bad-request error of an underlying request error: it says what that one says (400). */
export function badRequest(cause: Error): BadRequestError {
  return new BadRequestError(cause.message, { cause });
}

/** 413 with the message of its cause. */
export function payloadTooLarge(cause: Error): PayloadTooLargeError {
  return new PayloadTooLargeError(cause.message, { cause });
}

/** 415 with the message of its cause. */
export function unsupportedMediaType(cause: Error): UnsupportedMediaTypeError {
  return new UnsupportedMediaTypeError(cause.message, { cause });
}

/** 414 with the message of its cause. */
export function uriTooLong(cause: Error): UriTooLongError {
  return new UriTooLongError(cause.message, { cause });
}

/** 431 with the message of its cause. */
export function headerFieldsTooLarge(cause: Error): HeaderFieldsTooLargeError {
  return new HeaderFieldsTooLargeError(cause.message, { cause });
}

const wrappers: ReadonlyMap<string, (cause: Error) => HttpError> = new Map<
  string,
  (cause: Error) => HttpError
>([
  ['HTTP_TARGET_TOO_LONG', uriTooLong],
  ['HTTP_EXPECTATION', (cause) => new HttpError(417, cause.message, { cause })],
  ['HTTP_HEADERS_TOO_LARGE', headerFieldsTooLarge],
  ['HTTP_HEADERS_TOO_MANY', headerFieldsTooLarge],
  ['HTTP_BODY_TOO_LARGE', payloadTooLarge],
  ['HTTP_FORM_TOO_LARGE', payloadTooLarge],
  ['HTTP_CHUNK_EXTENSIONS_TOO_LARGE', payloadTooLarge],
  ['HTTP_REQUEST_TIMEOUT', (cause) => new RequestTimeoutError(cause.message, { cause })],
]);

/** The error with the status that belongs to the code of a request's failure: 408, 413, 414, 431, else 400. */
export function failureError(failure: CodedError): HttpError {
  return (wrappers.get(failure.code) ?? badRequest)(failure);
}
