import type { CodedError } from '#coded-error';
import { httpErrors } from '../failures/error-codes.js';
import type { ServerLimits } from './settings/node-server-options.js';

/** What Node reports of bytes that it could not parse. */
export interface ParserError extends Error {
  readonly code?: string;
  readonly reason?: string;
  readonly rawPacket?: Uint8Array;
  /** Bytes of the packet before the one that failed. */
  readonly bytesParsed?: number;
}

/**
 * The request error behind a parser's error: its message is the parser's own reason, its `parserCode` the parser's
 * (`HPE_…`). The parser's error object itself says no more and is not kept as a cause, so that a refused request has
 * the two errors of any other: what the client saw, and why.
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

/** The request line counts as header bytes to the parser: a long one is recognised here, where it can still be seen. */
function overflow(error: ParserError, limits: ServerLimits): CodedError {
  const packet = error.rawPacket;
  const end = packet?.indexOf(0x0a) ?? 0;
  const length = end === -1 ? (packet?.byteLength ?? 0) : end;
  // Over TLS and in slow chunks the packet may begin behind the request line, in the middle of a field.
  const isRequestLine = /^[A-Za-z-]{1,30} \S/.test(
    Buffer.from(packet?.subarray(0, 40) ?? []).toString('latin1'),
  );
  if (isRequestLine && length > limits.target)
    return httpErrors.create('HTTP_TARGET_TOO_LONG', { length, limit: limits.target });
  return httpErrors.create('HTTP_HEADERS_TOO_LARGE', { limit: limits.headerBytes });
}
