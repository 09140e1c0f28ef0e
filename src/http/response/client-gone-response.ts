import { HttpResponse } from './http-response.js';

/**
 * The answer to a request whose client has disconnected: nothing is sent, the connection is cut, and the request counts
 * as aborted. Its status 499 is the one that nginx writes to access logs in this case.
 */
export class ClientGoneResponse extends HttpResponse {
  constructor() {
    super(null, { status: 499 });
  }

  override copy(): HttpResponse {
    return new ClientGoneResponse();
  }
}
