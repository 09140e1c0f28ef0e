import { createServer } from 'node:http';
import { Writable } from 'node:stream';
import { pinoHttp } from 'pino-http';
import { listening } from '../harness/listening.mjs';

/** node:http with one line of JSON for each request, written to /dev/null. */
export function start() {
  const log = pinoHttp({}, new Writable({ write: (chunk, encoding, done) => done() }));
  const server = createServer((request, response) => {
    log(request, response);
    const body = JSON.stringify({ hello: decodeURIComponent(request.url.slice(7)) });
    response.writeHead(200, {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
    });
    response.end(body);
  });
  return listening('node:http + pino-http', server);
}
