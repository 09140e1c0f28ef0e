import { createServer } from 'node:http';
import polka from 'polka';
import { listening } from '../harness/listening.mjs';

export function start() {
  const app = polka();
  app.get('/hello/:name', (request, response) => {
    const body = JSON.stringify({ hello: request.params.name });
    response.writeHead(200, {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
    });
    response.end(body);
  });
  return listening('polka', createServer(app.handler));
}
