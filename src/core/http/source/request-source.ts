import type { Socket } from 'node:net';
import type { CodedError } from '#core/coded-error';
import { findData } from '#core/dump';
import { isHttpError } from '#core/errors';
import type { RequestHeaders } from '../headers/request-headers.js';
import { httpErrors } from '../failures/error-codes.js';

/** The remote end of the connection, as the socket reports it. Never taken from a header. */
export interface Peer {
  /** Undefined if unknown; an unknown peer is never trusted. */
  readonly address: string | undefined;
  /** 0 if unknown. */
  readonly port: number;
  /** True if the bytes came over TLS. */
  readonly encrypted: boolean;
}

/** Provides a body's bytes. Read at most once. */
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
  /** Alternating names and values, in the order and spelling as sent. */
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
  /** Why the request is invalid: the kernel throws it as a bad request. The other properties are then a best effort. */
  readonly failure?: CodedError | undefined;
  /** The first raw bytes, bounded in size, of requests that could not be parsed. */
  readonly rawHead?: string | undefined;
}

/** Maximum sizes of a request's parts. */
export interface RequestLimits {
  /** Bytes of a body. */
  readonly body: number;
  /** Bytes that a multipart body may announce if a route streams it; reading it completely is limited by `body`. */
  readonly upload: number;
  /** Bytes of the request target. */
  readonly target: number;
  /** Nesting levels in a JSON body. */
  readonly jsonDepth: number;
  /** Fields in a form, including files. */
  readonly formFields: number;
  /** Nesting levels in a form's bracketed names (`a[b][c]`). */
  readonly formDepth: number;
  /** Files in a form. */
  readonly files: number;
}

/** A server's default limits: bodies of 1 MiB, targets of 8 KiB. */
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
  const known = peers.get(socket);
  if (known !== undefined) return known;
  const peer = Object.freeze({
    address: socket.remoteAddress,
    port: socket.remotePort ?? 0,
    encrypted: 'encrypted' in socket && socket.encrypted === true,
  });
  if (peer.address !== undefined) peers.set(socket, peer);
  return peer;
}

/** Each connection's remote end, which does not change. */
const peers = new WeakMap<Socket, Peer>();

/** Returns alternating names and values without HTTP/2's pseudo-header fields (RFC 9113 section 8.3.1). */
export function withoutPseudoHeaders(raw: readonly string[]): string[] {
  return raw.filter((_, at) => !(raw[at - (at % 2)] ?? '').startsWith(':'));
}

/**
 * Whether an error only means that the client has disconnected: it is the abort reason of the request's signal, or the
 * `AbortError` with which platform functions reject after that abort. An `HttpError` never counts, because it is a
 * response. Creates no signal: if nothing has read the request's signal, no error can come from it.
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

/** The parts of a request target (RFC 9112 section 3.2), as sent. */
export interface RequestTarget {
  /** `unknown` if the method allows no such target; `validateRequest` refuses it. */
  readonly form: 'origin' | 'absolute' | 'asterisk' | 'unknown';
  /** An absolute form's host and port. */
  readonly authority: string | undefined;
  /** Percent-encoding kept. `*` for the asterisk form. */
  readonly rawPath: string;
  /** Without the question mark. */
  readonly rawQuery: string;
}

// A URI has no control characters, spaces or non-ASCII characters (RFC 3986 section 2).
const nonUriCharacters = /[^\x21-\x7e]/;

export function readRequestTarget(method: string, target: string): RequestTarget {
  if (target.startsWith('/')) return split('origin', undefined, target);
  if (target === '*' && method === 'OPTIONS') {
    return { form: 'asterisk', authority: undefined, rawPath: '*', rawQuery: '' };
  }
  const scheme = /^https?:\/\//i.exec(target)?.[0];
  if (scheme === undefined) return split('unknown', undefined, target);
  const rest = target.slice(scheme.length);
  const end = rest.search(/[/?#]/);
  const authority = end === -1 ? rest : rest.slice(0, end);
  const path = end === -1 ? '/' : rest.slice(end);
  return split('absolute', authority, path.startsWith('/') ? path : `/${path}`);
}

function split(
  form: 'origin' | 'absolute' | 'unknown',
  authority: string | undefined,
  text: string,
): RequestTarget {
  const mark = text.indexOf('?');
  if (mark === -1) return { form, authority, rawPath: text, rawQuery: '' };
  return { form, authority, rawPath: text.slice(0, mark), rawQuery: text.slice(mark + 1) };
}

/**
 * Throws `HTTP_TARGET_MALFORMED` if the target has an unknown form or contains characters that are invalid in a URI.
 */
export function assertTarget(target: string, { form }: RequestTarget): void {
  if (nonUriCharacters.test(target))
    throw malformed(`the character at position ${target.search(nonUriCharacters)} must be percent-encoded`);
  if (form === 'unknown') throw malformed('it is neither a path nor an http URL');
  if (target.includes('#')) throw malformed('it has a fragment');
}

function malformed(reason: string): Error {
  return httpErrors.create('HTTP_TARGET_MALFORMED', { reason });
}
