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

/** The bad-request error of an underlying request error: with the same message (400). */
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

type WrappingError = new (message: string, options: { readonly cause: Error }) => HttpError;

const errorClasses: ReadonlyMap<string, WrappingError> = new Map<string, WrappingError>([
  ['HTTP_TARGET_TOO_LONG', UriTooLongError],
  ['HTTP_HEADERS_TOO_LARGE', HeaderFieldsTooLargeError],
  ['HTTP_HEADERS_TOO_MANY', HeaderFieldsTooLargeError],
  ['HTTP_BODY_TOO_LARGE', PayloadTooLargeError],
  ['HTTP_FORM_TOO_LARGE', PayloadTooLargeError],
  ['HTTP_CHUNK_EXTENSIONS_TOO_LARGE', PayloadTooLargeError],
  ['HTTP_REQUEST_TIMEOUT', RequestTimeoutError],
]);

/** The error with the status that belongs to the code of a request's failure: 408, 413, 414, 417, 431, else 400. */
export function failureError(failure: CodedError): HttpError {
  const { code, message } = failure;
  if (code === 'HTTP_EXPECTATION') return new HttpError(417, message, { cause: failure });
  return new (errorClasses.get(code) ?? BadRequestError)(message, { cause: failure });
}
