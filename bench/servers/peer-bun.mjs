import { serveOnBun } from '../harness/serve-on-bun.mjs';

/** What a server has to know of a request: whose it is, and for which host. */
export const start = () =>
  serveOnBun('Bun.serve, one header field and the peer read', (request, server) => [
    request.headers.get('host'),
    server.requestIP(request)?.address,
  ]);
