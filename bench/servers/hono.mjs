import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';
import { listening } from '../harness/listening.mjs';

export function start() {
  const app = new Hono();
  app.get('/hello/:name', (context) => context.json({ hello: context.req.param('name') }));
  return listening('Hono', createAdaptorServer({ fetch: app.fetch }));
}
