import { createServer } from 'node:http';
import { listening } from '../harness/listening.mjs';

const prefix = '/hello/';

/** The baseline: no server based on node:http can be faster. */
export const start = () => listening('node:http', createPlainServer());

export function createPlainServer() {
  return createServer((request, response) => {
    if (request.method === 'GET' && request.url.startsWith(prefix)) {
      const query = request.url.indexOf('?', prefix.length);
      const name = request.url.slice(prefix.length, query === -1 ? undefined : query);
      const body = JSON.stringify({ hello: decodeURIComponent(name) });
      response.writeHead(200, {
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(body),
      });
      response.end(body);
    } else response.writeHead(404).end();
  });
}
