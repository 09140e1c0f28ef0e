import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { HttpResponse } from './http-response.js';
import type { ResponseHeaders } from './response-headers.js';

/** An HTTP/1.1 connection that switches to another protocol. */
export interface UpgradedConnection {
  readonly message: IncomingMessage;
  readonly socket: Duplex;
  /** What the client sent behind its request already. */
  readonly head: Buffer;
  /** The fields that the answer is to have beside its own. */
  readonly headers: ResponseHeaders;
}

type TakeConnection = (connection: UpgradedConnection) => void;

/** The answer 101: its creator writes the answer itself and takes over the connection (RFC 9110 section 7.8). */
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
