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

/** Wraps an error as a 400 with the same message. */
export function badRequest(cause: Error): BadRequestError {
  return new BadRequestError(cause.message, { cause });
}

/** Wraps an error as a 413 with the same message. */
export function payloadTooLarge(cause: Error): PayloadTooLargeError {
  return new PayloadTooLargeError(cause.message, { cause });
}

/** Wraps an error as a 415 with the same message. */
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

/** Wraps a request failure as an HTTP error. Its status depends on the code: 408, 413, 414, 417, 431, else 400. */
export function failureError(failure: CodedError): HttpError {
  const { code, message } = failure;
  if (code === 'HTTP_EXPECTATION') return new HttpError(417, message, { cause: failure });
  return new (errorClasses.get(code) ?? BadRequestError)(message, { cause: failure });
}
