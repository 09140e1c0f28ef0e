import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';

/** A request as another server's handler gets it. */
export type ForeignRequest = IncomingMessage | Http2ServerRequest;
/** The answer that belongs to it. */
export type ForeignResponse = ServerResponse | Http2ServerResponse;
