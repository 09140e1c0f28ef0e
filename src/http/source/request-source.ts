import type { RequestHeaders } from '../headers/request-headers.js';

/** A verified client certificate, signed by one of the service's own authorities. */
export interface PeerCertificate {
  /** The subject's attributes by short name (`CN`, `O`, `emailAddress`), each with its values, usually one. */
  readonly subject: ReadonlyMap<string, readonly string[]>;
  /** Subject alternative names as OpenSSL writes them: `email:ada@example.org, DNS:ada.example.org`. */
  readonly alternativeNames: string | undefined;
  /** Hexadecimal. */
  readonly serialNumber: string;
  /** SHA-256 of the certificate, hexadecimal with colons. */
  readonly fingerprint256: string;
  /** End of validity, in milliseconds since 1970. */
  readonly validTo: number;
}

/** The remote end of the connection, as the socket reports it. Never taken from a header. */
export interface Peer {
  /** Undefined if unknown: such a peer is never trusted. */
  readonly address: string | undefined;
  /** 0 if unknown. */
  readonly port: number;
  /** True when the bytes came over TLS. */
  readonly encrypted: boolean;
  /** Set if the client sent a certificate that `TLS_CLIENT_CA` verifies. */
  readonly certificate?: PeerCertificate | undefined;
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
