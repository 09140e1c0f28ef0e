import { createServer } from 'node:http';
import { H3, toNodeHandler } from 'h3';
import { listening } from '../harness/listening.mjs';

export function start() {
  const app = new H3();
  app.get('/hello/:name', (event) => ({ hello: event.context.params.name }));
  return listening('h3', createServer(toNodeHandler(app)));
}
