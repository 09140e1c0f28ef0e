import type { Picture } from '#dump';

/** Header fields in the order and spelling of the wire; values of secret names redacted. */
export type RecordedHeaders = readonly (readonly [name: string, value: string])[];

/** The first value of a field, by its name in lower case. */
export function findHeader(headers: RecordedHeaders, wanted: string): string | undefined {
  return headers.find(([name]) => name.toLowerCase() === wanted)?.[1];
}

/** The request as it arrived. */
export interface RecordedRequest {
  readonly method: string;
  /** Absolute, with the query: scheme, host and target put together. */
  readonly url: string;
  /** As sent: path and query, percent-encoding kept. */
  readonly target: string;
  /** Path as sent. */
  readonly path: string;
  readonly httpVersion: string;
  readonly scheme: 'http' | 'https';
  /** The Host header, or empty. */
  readonly host: string;
  /** Address of the client: the peer's, or what a trusted proxy said. */
  readonly clientAddress: string;
  /** The other end of the connection. */
  readonly peer: { readonly address: string; readonly port: number };
  readonly headers: RecordedHeaders;
  /** Names with their values hidden, in order. */
  readonly cookies: RecordedHeaders;
  /** Decoded, in order. */
  readonly query: RecordedHeaders;
  /** Null where no body was read. */
  readonly body: RecordedBody | null;
  /** The body read as form or JSON; null where it is neither, or is cut. */
  readonly parsed: { readonly format: 'form' | 'json'; readonly value: Picture } | null;
  readonly locale: string | null;
  /** Identifier of the signed-in user. */
  readonly user: string | null;
  /** The visitor's thread of requests: a hash of the session's cookie. Absent for requests without one. */
  readonly visitor?: string;
  /** Raw beginning of bytes that are no valid request. */
  readonly rawHead?: string;
}

/** The response as the client got it. */
export interface RecordedResponse {
  readonly status: number;
  readonly headers: RecordedHeaders;
  /** The Set-Cookie fields: names with their values hidden, attributes as sent. */
  readonly cookies: readonly RecordedCookie[];
  /** Bytes of the body that were sent. */
  readonly bodyBytes: number;
  /** Beginning of the body; null where there was none or it was not kept. */
  readonly body: RecordedBody | null;
  /** False where the client went away or the stream failed before the end. */
  readonly completed: boolean;
}

export interface RecordedCookie {
  readonly name: string;
  readonly value: string;
  /** `Path`, `HttpOnly` … with empty values where they have none. */
  readonly attributes: RecordedHeaders;
}

/** A body up to a limit. */
export interface RecordedBody {
  /** How `content` stands for the bytes. */
  readonly encoding: 'text' | 'base64';
  readonly content: string;
  readonly contentType: string;
  /** Bytes that were seen in all. */
  readonly bytes: number;
  /** `content` is only the beginning. */
  readonly cut: boolean;
  /** The application did not read it: it was taken from the connection for the record. Absent where it was read. */
  readonly isUnread?: true;
}
