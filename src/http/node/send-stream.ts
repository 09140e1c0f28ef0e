import type { Writable } from 'node:stream';
import type { HttpRequest } from '../request/http-request.js';
import type { StreamedBody } from '../response/response-body.js';
import type { NodeSource } from './node-source.js';
import type { ServerState } from './server-state.js';
import { pumpBody } from '../response/pump-body.js';

interface StreamSending {
  /** The declared Content-Length in bytes, if any. */
  readonly declared: number | undefined;
  readonly source: NodeSource;
  readonly request: HttpRequest;
  readonly service: ServerState;
  readonly writer: { bodyBytes: number; destroy(): void };
}

/** Sends a streamed body and ends the sink. Reports failures, except that the client has disconnected. */
export function sendStream(
  body: StreamedBody,
  sink: Writable,
  { declared, source, request, service, writer }: StreamSending,
): void {
  const onBytes = (count: number): void => void (writer.bodyBytes += count);
  pumpBody(body, sink, { declared, onBytes }).then(
    (ended) => {
      if (ended) sink.end();
    },
    (error: unknown) => {
      if (!source.isGoneBy(error)) service.report(error, request);
      writer.destroy(); // cutting the connection is the only way left to signal that the body is incomplete
    },
  );
}
