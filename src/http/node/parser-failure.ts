import type { CodedError } from '#coded-error';
import { httpErrors } from '../failures/error-codes.js';
import type { ServerLimits } from './settings/node-server-options.js';

/** Node's error for bytes that it could not parse. */
export interface ParserError extends Error {
  readonly code?: string;
  readonly reason?: string;
  readonly rawPacket?: Uint8Array;
  /** Number of bytes of the packet before the one that failed. */
  readonly bytesParsed?: number;
}

/**
 * Converts a parser's error to a request error. Its message is the parser's reason, its `parserCode` the parser's code
 * (`HPE_…`). The parser's error object adds nothing and is not kept as a cause, so a refused request has the same two
 * errors as any other bad request: what the client saw, and why.
 */
export function parserFailure(error: ParserError, limits: ServerLimits): CodedError {
  const failure = requestFailure(error, limits);
  return error.code === undefined ? failure : Object.assign(failure, { parserCode: error.code });
}

function requestFailure(error: ParserError, limits: ServerLimits): CodedError {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return overflow(error, limits);
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return httpErrors.create('HTTP_CHUNK_EXTENSIONS_TOO_LARGE', {});
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return httpErrors.create('HTTP_REQUEST_TIMEOUT', {});
    default:
      return httpErrors.create('HTTP_PARSER_REFUSED', { reason: error.reason ?? error.message });
  }
}

/** Distinguishes a long request line from long headers: the parser counts both as header bytes. */
function overflow(error: ParserError, limits: ServerLimits): CodedError {
  const packet = error.rawPacket;
  const end = packet?.indexOf(0x0a) ?? 0;
  const length = end === -1 ? (packet?.byteLength ?? 0) : end;
  // Over TLS, or with slow clients, the packet may begin after the request line, in the middle of a field.
  const isRequestLine = /^[A-Za-z-]{1,30} \S/.test(
    Buffer.from(packet?.subarray(0, 40) ?? []).toString('latin1'),
  );
  if (isRequestLine && length > limits.target)
    return httpErrors.create('HTTP_TARGET_TOO_LONG', { length, limit: limits.target });
  return httpErrors.create('HTTP_HEADERS_TOO_LARGE', { limit: limits.headerBytes });
}
