import type { RequestHeaders } from '../headers/request-headers.js';

/** A certificate that the client proved to hold, signed by an authority of the service's own. */
export interface PeerCertificate {
  /** The subject's parts by their short names (`CN`, `O`, `emailAddress`), each with its values, mostly one. */
  readonly subject: ReadonlyMap<string, readonly string[]>;
  /** Subject alternative names as OpenSSL writes them: `email:ada@example.org, DNS:ada.example.org`. */
  readonly alternativeNames: string | undefined;
  /** Hexadecimal. */
  readonly serialNumber: string;
  /** SHA-256 of the certificate, hexadecimal with colons. */
  readonly fingerprint256: string;
  /** When it ends; milliseconds since 1970. */
  readonly validTo: number;
}

/** The other end of the connection, as the socket reports it. Never taken from a header. */
export interface Peer {
  /** Undefined if unknown: such a peer is never trusted. */
  readonly address: string | undefined;
  /** 0 if unknown. */
  readonly port: number;
  /** True when the bytes came over TLS. */
  readonly encrypted: boolean;
  /** With a `TLS_CLIENT_CA`, from clients that showed a certificate it verifies. */
  readonly certificate?: PeerCertificate | undefined;
}

/** The source of the body's bytes. Read at most once. */
export interface RequestBodySource {
  /** The chunks in order; fails when the client disconnects. */
  chunks(): AsyncIterable<Uint8Array>;
}

/** A request as it arrived, before anything was concluded from it. What a server adapter or a test provides. */
export interface RequestSource {
  readonly method: string;
  /** Request target as sent (origin-form, absolute-form, authority-form or asterisk-form; RFC 9112 section 3.2). */
  readonly target: string;
  /** The `:authority` of HTTP/2, which stands for the Host header there. */
  readonly authority?: string | undefined;
  /** Names and values in turn, in the order and spelling of the wire. */
  readonly rawHeaders: readonly string[];
  /** The same fields, where the adapter has made them an object already. */
  readonly headers?: RequestHeaders | undefined;
  /** `1.0`, `1.1`, `2.0`. */
  readonly httpVersion: string;
  readonly peer: Peer;
  readonly body?: RequestBodySource | undefined;
  /** Aborted when the client disconnects before the response is finished. */
  readonly signal?: AbortSignal | undefined;
  /** Whether the connection may be given another protocol (HTTP/1.1, requested by `Upgrade`). */
  readonly canUpgrade?: boolean | undefined;
  /** Why the bytes are no valid request: the kernel raises it as a bad request. The rest is then a best effort. */
  readonly failure?: unknown;
  /** A bounded head of the raw bytes, where a failure has nothing better to show. */
  readonly rawHead?: string | undefined;
}
