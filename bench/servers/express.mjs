import { createServer } from 'node:http';
import express from 'express';
import { listening } from '../harness/listening.mjs';

export function start() {
  const app = express();
  app.get('/hello/:name', (request, response) => {
    response.json({ hello: request.params.name });
  });
  return listening('Express', createServer(app));
}
