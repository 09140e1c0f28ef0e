import { createServer } from 'node:http';
import { listening } from '../harness/listening.mjs';

const prefix = '/later/';

/** The baseline for asynchronous handlers: node:http with a handler that awaits once. */
export const start = () => startAsync('node:http, asynchronous handler', answer);

export async function startAsync(title, handler) {
  return { ...(await listening(title, createServer(handler))), path: `${prefix}{name}` };
}

export async function answer(request, response) {
  if (request.method === 'GET' && request.url.startsWith(prefix)) {
    const query = request.url.indexOf('?', prefix.length);
    const name = request.url.slice(prefix.length, query === -1 ? undefined : query);
    await Promise.resolve();
    const body = JSON.stringify({ hello: decodeURIComponent(name) });
    response.writeHead(200, {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
    });
    response.end(body);
  } else response.writeHead(404).end();
}
