import type { Picture } from '#dump';

/** Header fields in their original order and spelling; the values of secret names are redacted. */
export type RecordedHeaders = readonly (readonly [name: string, value: string])[];

/** Returns the first value of a field; `wanted` is its lowercase name. */
export function findHeader(headers: RecordedHeaders, wanted: string): string | undefined {
  return headers.find(([name]) => name.toLowerCase() === wanted)?.[1];
}

/** The request as it arrived. */
export interface RecordedRequest {
  readonly method: string;
  /** Absolute URL composed of scheme, host and target, including the query. */
  readonly url: string;
  /** As sent: path and query, percent-encoding kept. */
  readonly target: string;
  /** Path as sent. */
  readonly path: string;
  readonly httpVersion: string;
  readonly scheme: 'http' | 'https';
  /** The Host header; empty if there was none. */
  readonly host: string;
  /** Address of the client: that of the peer, or the one reported by a trusted proxy. */
  readonly clientAddress: string;
  /** Remote end of the connection. */
  readonly peer: { readonly address: string; readonly port: number };
  readonly headers: RecordedHeaders;
  /** Names in order; values are redacted. */
  readonly cookies: RecordedHeaders;
  /** Decoded parameters, in order. */
  readonly query: RecordedHeaders;
  /** Null if no body was read. */
  readonly body: RecordedBody | null;
  /** The body parsed as form data or JSON; null if it is neither or was truncated. */
  readonly parsed: { readonly format: 'form' | 'json'; readonly value: Picture } | null;
  readonly locale: string | null;
  /** Identifier of the signed-in user. */
  readonly user: string | null;
  /** Hash of the session cookie, which groups the requests of a visitor. Absent for requests without one. */
  readonly visitor?: string;
  /** Beginning of the raw bytes, if they were not a valid request. */
  readonly rawHead?: string;
}

/** The response as it was sent. */
export interface RecordedResponse {
  readonly status: number;
  readonly headers: RecordedHeaders;
  /** The Set-Cookie fields: values are redacted, attributes as sent. */
  readonly cookies: readonly RecordedCookie[];
  /** Bytes of the body that were sent. */
  readonly bodyBytes: number;
  /** Beginning of the body; null if there was none or it was not kept. */
  readonly body: RecordedBody | null;
  /** False if the client disconnected or the stream failed before the end. */
  readonly completed: boolean;
}

export interface RecordedCookie {
  readonly name: string;
  readonly value: string;
  /** `Path`, `HttpOnly` …; the value is empty for attributes without one. */
  readonly attributes: RecordedHeaders;
}

/** Beginning of a body, up to a limit. */
export interface RecordedBody {
  /** Encoding of `content`. */
  readonly encoding: 'text' | 'base64';
  readonly content: string;
  readonly contentType: string;
  /** Total number of bytes that were seen. */
  readonly bytes: number;
  /** `content` is truncated. */
  readonly cut: boolean;
  /** The application did not read the body; it was read from the connection for the record only. */
  readonly isUnread?: true;
}
