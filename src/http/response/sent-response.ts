/** What was actually sent to the client; reported by the server after the last byte. */
export interface SentResponse {
  readonly status: number;
  /** Alternating names and values, including those that the server added (Date, Connection …). */
  readonly headers: readonly string[];
  /** Bytes of the body that were handed to the connection. */
  readonly bodyBytes: number;
  /** False if the client disconnected or the stream failed before the end. */
  readonly completed: boolean;
}
