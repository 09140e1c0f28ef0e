import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { HttpResponse } from './http-response.js';
import type { ResponseHeaders } from './response-headers.js';

/** An HTTP/1.1 connection that switches to another protocol. */
export interface UpgradedConnection {
  readonly message: IncomingMessage;
  readonly socket: Duplex;
  /** Bytes that the client has already sent after its request. */
  readonly head: Buffer;
  /** Fields to send in addition to those of the 101 answer itself. */
  readonly headers: ResponseHeaders;
}

type TakeConnection = (connection: UpgradedConnection) => void;

/** A 101 answer (RFC 9110 section 7.8). Its creator writes the answer itself and takes over the connection. */
export class UpgradeResponse extends HttpResponse {
  readonly take: TakeConnection;

  constructor(take: TakeConnection, init: { readonly headers?: ResponseHeaders } = {}) {
    super(null, { status: 101, ...init });
    this.take = take;
  }

  override copy(): HttpResponse {
    return new UpgradeResponse(this.take, { headers: this.headers });
  }
}
