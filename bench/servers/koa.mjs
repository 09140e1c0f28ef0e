import { createServer } from 'node:http';
import Router from '@koa/router';
import Koa from 'koa';
import { listening } from '../harness/listening.mjs';

export function start() {
  const router = new Router();
  router.get('/hello/:name', (context) => {
    context.body = { hello: context.params.name };
  });
  const app = new Koa();
  app.use(router.routes());
  return listening('Koa', createServer(app.callback()));
}
