import type { PeerInit } from '#http';

/** How a request is answered that came without a socket. */
export interface FetchInit extends RequestInit {
  /**
   * The other end of the connection that the request came over. Without it the request has no client address: rules for
   * addresses do not match it, and it is not shown the profiler.
   */
  readonly peer?: PeerInit;
  /** Aborted when the server that the request came to begins to stop: streams that have no end of their own end then. */
  readonly stopping?: AbortSignal;
}
