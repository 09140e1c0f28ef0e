/** The other end of the connection, as the socket tells it. Never taken from a header. */
export interface Peer {
  readonly address: string;
  readonly port: number;
  /** True when the bytes came over TLS. */
  readonly encrypted: boolean;
}

/** Where the body's bytes come from. Read at most once. */
export interface RequestBodySource {
  /** The chunks in order; fails when the client goes away. */
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
  /** `1.0`, `1.1`, `2.0`. */
  readonly httpVersion: string;
  readonly peer: Peer;
  readonly body?: RequestBodySource | undefined;
  /** Aborted when the client goes away before the response is finished. */
  readonly signal?: AbortSignal | undefined;
  /** Why the bytes are no valid request: the kernel raises it as a bad request. The rest is then a best effort. */
  readonly failure?: unknown;
  /** A bounded head of the raw bytes, where a failure has nothing better to show. */
  readonly rawHead?: string | undefined;
}
