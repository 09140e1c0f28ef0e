import type { Writable } from 'node:stream';
import type { HttpRequest } from '../request/http-request.js';
import type { StreamedBody } from '../response/response-body.js';
import type { NodeSource } from './node-source.js';
import type { ServerState } from './server-state.js';
import { pumpBody } from '../response/pump-body.js';

interface StreamSending {
  /** Bytes that the header promised; undefined where it promised nothing. */
  readonly declared: number | undefined;
  readonly source: NodeSource;
  readonly request: HttpRequest;
  readonly service: ServerState;
  readonly writer: { bodyBytes: number; destroy(): void };
}

/** Sends a streamed body and ends the sink. A failure is reported, unless it is only that the client is gone. */
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
      writer.destroy(); // a cut connection is the only way left to say that the body is not whole
    },
  );
}
