import { defineErrorCodes, type ErrorCodes, type CodedError } from '#core/coded-error';
import {
  BadRequestError,
  HeaderFieldsTooLargeError,
  HttpError,
  PayloadTooLargeError,
  RequestTimeoutError,
  UnsupportedMediaTypeError,
  UriTooLongError,
} from '#core/errors';

const table = {
  HTTP_TARGET_MALFORMED: { message: 'The request target is malformed: {reason}.' },
  HTTP_TARGET_TOO_LONG: {
    message: 'The request target has {length} bytes, which exceeds the limit of {limit}.',
    fix: 'Send the data in the body, or raise limits.target in the createApp() options.',
  },
  HTTP_PARSER_REFUSED: { message: '{reason}' },
  HTTP_HEADERS_TOO_LARGE: { message: 'The header block exceeds the limit of {limit} bytes.' },
  HTTP_CHUNK_EXTENSIONS_TOO_LARGE: { message: 'The chunk extensions of the body exceed the limit.' },
  HTTP_REQUEST_TIMEOUT: { message: 'The request did not arrive in time.' },
  HTTP_EXPECTATION: { message: 'The expectation "{expect}" cannot be met.' },
  HTTP_VERSION_UNSUPPORTED: {
    message: 'HTTP/{version} is not supported; use HTTP/1.0, HTTP/1.1 or HTTP/2.',
  },
  HTTP_METHOD_UNSUPPORTED: { message: 'The method {method} is for proxies, and this server is not a proxy.' },
  HTTP_METHOD_CASE: {
    message: 'The method "{method}" is not in upper case.',
    fix: 'Methods are case-sensitive (RFC 9110, section 9.1): GET, POST, PUT, PATCH, DELETE.',
  },
  HTTP_METHOD_OVERRIDE: {
    message: 'Invalid method override "{method}".',
    fix: 'X-HTTP-Method-Override accepts PUT, PATCH or DELETE.',
  },
  HTTP_HOST_MISSING: { message: 'The request has no host.', fix: 'Send a Host header.' },
  HTTP_HOST_REPEATED: { message: 'The request has {count} Host headers; it must have one.' },
  HTTP_HOST_MALFORMED: { message: 'Invalid Host "{host}".' },
  HTTP_HOST_NOT_ALLOWED: {
    message: 'Untrusted Host "{host}".',
    fix: 'Add the host to TRUSTED_HOSTS if this service should answer for it.',
  },
  HTTP_FORWARDED_MALFORMED: { message: 'A Forwarded or X-Forwarded-* header is malformed: "{value}".' },
  HTTP_FORWARDED_CONFLICT: {
    message: 'The forwarding headers contradict each other about the {subject}: "{left}" and "{right}".',
    fix: 'Configure the proxy to send either Forwarded or X-Forwarded-*, and to overwrite values sent by clients.',
  },
  HTTP_LENGTH_MALFORMED: { message: 'Invalid Content-Length "{value}".' },
  HTTP_TRANSFER_CODING: { message: 'The transfer coding "{coding}" is not supported; use chunked.' },
  HTTP_BODY_TOO_LARGE: {
    message: 'The request body exceeds the limit of {limit} bytes.',
    fix: 'Send a smaller body, raise limits.body in the createApp() options, or receive files with receiveUploads(), which has its own limits.',
  },
  HTTP_BODY_ABORTED: { message: 'The client disconnected before the whole body arrived.' },
  HTTP_BODY_CONSUMED: {
    message: 'The body of this request has already been read as a stream.',
    fix: 'Read it once: either as a stream, or with bytes(), text(), json() or form().',
  },
  HTTP_BODY_ENCODING: {
    message: 'The body is not valid {charset}.',
  },
  HTTP_CHARSET_UNSUPPORTED: { message: 'The charset "{charset}" is not supported.' },
  HTTP_CONTENT_ENCODING: {
    message: 'The content encoding "{encoding}" is not supported; send the body without one.',
  },
  HTTP_MEDIA_TYPE_MALFORMED: { message: 'The Content-Type "{value}" is malformed.' },
  HTTP_MEDIA_TYPE_UNSUPPORTED: { message: 'Unsupported media type "{given}"; send {expected}.' },
  HTTP_JSON_MALFORMED: { message: 'The body is not valid JSON: {reason}.' },
  HTTP_JSON_TOO_DEEP: { message: 'The JSON body is nested deeper than {limit} levels.' },
  HTTP_JSON_FORBIDDEN_KEY: { message: 'The JSON body has the key "{key}", which is not allowed.' },
  HTTP_FORM_MALFORMED: { message: 'The form body is malformed: {reason}.' },
  HTTP_FORM_TOO_LARGE: {
    message: 'The form body exceeds a limit: it has more than {limit} {what}.',
  },
  HTTP_FORM_FORBIDDEN_KEY: { message: 'The form or query has the field "{key}", which is not allowed.' },
  HTTP_PEER_INVALID: {
    message: 'The peer passed with a request has the address "{address}", which is not an IP address.',
    fix: 'Pass the remote address of the socket, such as socket.remoteAddress, or omit the peer.',
  },
  HTTP_STATUS_INVALID: {
    message: 'A response cannot have the status {status}.',
    fix: 'Use a whole number from 200 to 599.',
  },
  HTTP_CONTENT_UNSENDABLE: {
    message:
      'A response with the status {status} has no content, so the content given to {location} cannot be sent.',
    fix: 'Use another status, such as 200, or HttpResponse.empty({status}).',
  },
  HTTP_RESPONSE_BODY_INVALID: {
    message: 'The body of a response cannot be {what}.',
    fix: 'Use a string, a Uint8Array, a ReadableStream, an async iterable or null.',
  },
  HTTP_CHUNK_INVALID: {
    message: 'A streamed body produced a chunk of type {what}.',
    fix: 'Produce strings or Uint8Arrays only.',
  },
  HTTP_RESPONSE_SENT: {
    message: 'The header {name} cannot be changed: the response has already been handed over or sent.',
    fix: 'Change event.response in a response listener, or change a copy of the response.',
  },
  HTTP_JSON_REFUSED: {
    message: 'The JSON cannot contain {what} at {path}.{hint}',
    fix: 'Send its values: plain objects, lists, strings, numbers, booleans, null, or objects with a toJSON method.',
  },
  HTTP_JSON_LOST: {
    message: 'The JSON contains {what} at {path}, which would be sent as {sent}.{hint}',
    fix: 'Send its values: plain objects, lists, strings, numbers, booleans, null, or objects with a toJSON method.',
  },
  HTTP_REDIRECT_UNSAFE: {
    message: 'The redirect target "{target}" {reason}.',
    fix: 'Redirect to a path on this site, or pass external: true for an http(s) URL that you trust.',
  },
  HTTP_TRUST_MALFORMED: {
    message: '{setting} contains "{value}", which is {reason}.',
    fix: 'It takes {takes}.',
  },
  HTTP_PORT_BUSY: {
    message: 'Port {port} on {host} is already in use.',
    fix: 'Stop the other program, or choose another port: PORT={next}.',
  },
  HTTP_LISTEN_FAILED: {
    message: 'Cannot listen on {host}:{port} ({reason}).',
    fix: 'Set HOST to an address of this machine, such as 127.0.0.1, and PORT to a port that this user may use (above 1023).',
  },
  HTTP_TLS_UNREADABLE: {
    message: 'The TLS {what} {path} cannot be read ({reason}).',
    fix: 'Set {setting} to the path of a PEM file that this user can read.',
  },
  HTTP_TLS_INVALID: {
    message: 'The TLS certificate {cert} and key {key} cannot be used ({reason}).',
    fix: 'Use a PEM certificate (with its chain) and the matching private key.',
  },
  HTTP_TLS_EXPECTED: {
    message: 'A plain HTTP request was sent to an HTTPS port.',
    fix: 'Use https:// in the URL.',
  },
  HTTP_CONNECTIONS_REFUSED: {
    message: 'The limit of {limit} open connections was reached. Refused connections: {refused}.',
    fix: 'Raise limits.maxConnections in the createApp() options, or run more processes.',
  },
  HTTP_LENGTH_MISMATCH: {
    message: 'The response declared a Content-Length of {declared} bytes, but its stream produced {given}.',
    fix: 'Omit the Content-Length; the server frames streams itself. If it was copied from a fetch() Response, whose body is already decoded, return that Response or HttpResponse.fromWeb(response) instead.',
  },
} as const;

/** Error codes for requests, responses, trust policies and server settings. */
export const httpErrors: ErrorCodes<typeof table> = defineErrorCodes(table);

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
