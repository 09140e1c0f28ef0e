import { HttpResponse } from './http-response.js';

/**
 * The answer to a request whose client has disconnected: nothing is sent, the connection is cut, and the request counts
 * as aborted. The status is the one that access logs have for this since nginx.
 */
export class ClientGoneResponse extends HttpResponse {
  constructor() {
    super(null, { status: 499 });
  }

  override copy(): HttpResponse {
    return new ClientGoneResponse();
  }
}
