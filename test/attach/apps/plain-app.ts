import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { answerRaw, boom, endless, large, letters, logLater, made } from './raw-answers.js';

/** The suite's application on plain `node:http`. */
export function plainHandler(request: IncomingMessage, response: ServerResponse): void {
  answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '', 'http://localhost');
  const user = /^\/users\/(\d+)$/.exec(url.pathname)?.[1];
  if (user !== undefined && request.method !== 'DELETE') {
    await logLater(url.searchParams.get('log'), request.headers['x-turn'] === 'late');
    response.setHeader('X-App', '1');
    return json(response, { id: user });
  }
  switch (url.pathname) {
    case '/echo': {
      let text = '';
      for await (const chunk of request) text += String(chunk);
      return echo(response, text);
    }
    case '/stream':
      return void pipeline(Readable.from(letters()), response, () => undefined);
    case '/large':
      return void pipeline(Readable.from(large(), { objectMode: false }), response, () => undefined);
    case '/endless':
      return void pipeline(Readable.from(endless()), response, () => undefined);
    case '/made':
      return void response.end(String(made.bytes));
    case '/empty':
      return void response.writeHead(204).end();
    case '/cookies':
      return void response
        .writeHead(200, ['Set-Cookie', 'a=1', 'set-cookie', 'b=2', 'x-raw', 'yes'])
        .end('ok');
    case '/raw':
      return answerRaw(response);
    case '/boom':
      return boom();
    default:
      response.writeHead(404, 'Nothing Here').end('none');
  }
}

async function echo(response: ServerResponse, text: string): Promise<void> {
  try {
    const body = JSON.parse(text) as { log?: unknown }; // written by the test itself
    await logLater(body.log);
    json(response, body);
  } catch {
    response.writeHead(400).end('malformed');
  }
}

function json(response: ServerResponse, value: unknown): void {
  const text = JSON.stringify(value);
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) });
  response.end(text);
}
