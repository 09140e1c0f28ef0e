/** Bounds and rules of the WebSockets of a route. */
export interface WebSocketOptions {
  /** Origins beside the application's own whose pages may connect; clients that are no browsers send none. */
  readonly origins?: readonly string[];
  /** Subprotocols that are spoken, the best first. */
  readonly protocols?: readonly string[];
  /** Bytes of a message; more closes with 1009. Default 65,536. */
  readonly maxMessageBytes?: number;
  /** Connections of this route in this process; 503 above. Default 1000. */
  readonly maxConnections?: number;
  /** Messages that wait for the handler before the client is held back. Default 100. */
  readonly maxQueued?: number;
  /** Bytes that wait for the client before it is given up (1013). Default 1 MiB. */
  readonly maxBufferedBytes?: number;
  /** A client that answers no ping within so many seconds is cut off. Default 30; `Infinity`: none is. */
  readonly idleSeconds?: number;
}
