import { createServer } from 'node:http';
import express from 'express';
import { lookback } from '../../dist/bundle/attach/express.js';
import { listening } from '../harness/listening.mjs';

export function start() {
  const app = express();
  app.use(lookback({ store: 'memory:', enabled: true }));
  app.get('/hello/:name', (request, response) => {
    response.json({ hello: request.params.name });
  });
  return listening('Express, recorded in memory', createServer(app));
}
