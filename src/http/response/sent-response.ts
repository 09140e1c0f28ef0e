/** What was really sent to the client, reported by the server after the last byte. */
export interface SentResponse {
  readonly status: number;
  /** Names and values in turn, those that the server added (Date, Connection …) included. */
  readonly headers: readonly string[];
  /** Bytes of the body that were handed to the connection. */
  readonly bodyBytes: number;
  /** False when the client went away or the stream failed before the end. */
  readonly completed: boolean;
}
