import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';

/** A request that another server's handler receives. */
export type ForeignRequest = IncomingMessage | Http2ServerRequest;
/** The response to a foreign request. */
export type ForeignResponse = ServerResponse | Http2ServerResponse;
