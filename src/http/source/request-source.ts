import type { Socket } from 'node:net';
import { findData } from '#dump';
import { isHttpError } from '#errors';
import type { RequestHeaders } from '../headers/request-headers.js';

/** The remote end of the connection, as the socket reports it. Never taken from a header. */
export interface Peer {
  /** Undefined if unknown: such a peer is never trusted. */
  readonly address: string | undefined;
  /** 0 if unknown. */
  readonly port: number;
  /** True when the bytes came over TLS. */
  readonly encrypted: boolean;
}

/** The source of a body's bytes. Read at most once. */
export interface RequestBodySource {
  /** Iterates over the chunks in order; throws if the client disconnects. */
  chunks(): AsyncIterable<Uint8Array>;
}

/** A request as it arrived, before any interpretation. Provided by a server adapter or a test. */
export interface RequestSource {
  readonly method: string;
  /** Request target as sent (origin-form, absolute-form, authority-form or asterisk-form; RFC 9112 section 3.2). */
  readonly target: string;
  /** The `:authority` of HTTP/2, which replaces the Host header. */
  readonly authority?: string | undefined;
  /** Alternating names and values, in the order and spelling in which they were sent. */
  readonly rawHeaders: readonly string[];
  /** The same fields as an object, if the adapter has already created it. */
  readonly headers?: RequestHeaders | undefined;
  /** `1.0`, `1.1`, `2.0`. */
  readonly httpVersion: string;
  readonly peer: Peer;
  readonly body?: RequestBodySource | undefined;
  /** Aborted when the client disconnects before the response is finished. */
  readonly signal?: AbortSignal | undefined;
  /** Whether the connection may switch to another protocol (HTTP/1.1, requested by `Upgrade`). */
  readonly canUpgrade?: boolean | undefined;
  /** Why the request is invalid: the kernel throws it as a bad request. The other properties are then best effort. */
  readonly failure?: unknown;
  /** The beginning of the raw bytes, of bounded size, for requests that could not be parsed. */
  readonly rawHead?: string | undefined;
}

/** Maximum sizes of the parts of a request. */
export interface RequestLimits {
  /** Bytes of a body. */
  readonly body: number;
  /** Bytes that a multipart body may announce if a route streams it; reading it whole is limited by `body`. */
  readonly upload: number;
  /** Bytes of the request target. */
  readonly target: number;
  /** Levels of a JSON body. */
  readonly jsonDepth: number;
  /** Fields of a form, files included. */
  readonly formFields: number;
  /** Levels of a form's bracketed names (`a[b][c]`). */
  readonly formDepth: number;
  /** Files of a form. */
  readonly files: number;
}

/** The default limits of a server: bodies of 1 MiB, targets of 8 KiB. */
export const defaultRequestLimits: RequestLimits = Object.freeze({
  body: 1_048_576,
  upload: 1_073_741_824,
  target: 8192,
  jsonDepth: 64,
  formFields: 1000,
  formDepth: 20,
  files: 20,
});

/** Returns the remote end of a socket. */
export function peerOf(socket: Socket): Peer {
  return Object.freeze({
    address: socket.remoteAddress,
    port: socket.remotePort ?? 0,
    encrypted: 'encrypted' in socket && socket.encrypted === true,
  });
}

/** Returns alternating names and values without HTTP/2's pseudo-header fields (RFC 9113 section 8.3.1). */
export function withoutPseudoHeaders(raw: readonly string[]): string[] {
  return raw.filter((_, at) => !(raw[at - (at % 2)] ?? '').startsWith(':'));
}

/**
 * Whether an error only means that the client has disconnected: it is the abort reason of the request's signal, or the
 * `AbortError` with which platform functions reject after that abort. An `HttpError` never counts: it is an answer. Creates
 * no signal: if nothing has read the request's, no error can come from it.
 */
export function isClientGone(
  error: unknown,
  { usedSignal: signal }: { readonly usedSignal: AbortSignal | undefined },
): boolean {
  if (isHttpError(error)) return false;
  if (signal?.aborted !== true) return false;
  if (error === signal.reason) return true;
  return typeof error === 'object' && error !== null && findData(error, 'name') === 'AbortError';
}
