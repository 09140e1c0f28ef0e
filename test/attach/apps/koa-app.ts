import { Readable } from 'node:stream';
import Router from '@koa/router';
import Koa, { type Middleware } from 'koa';
import { answerRaw, boom, endless, large, letters, logLater, made } from './raw-answers.js';

async function bodyOf(request: AsyncIterable<unknown>): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}

/** The suite's application on Koa; `first` runs before everything else. */
export function koaApp(first?: Middleware): Koa {
  const app = new Koa();
  app.silent = true;
  if (first !== undefined) app.use(first);
  app.use(async function stamp(ctx, next) {
    ctx.set('X-App', '1');
    await next();
  });
  const router = new Router();
  router.get('/users/:id', async function showUser(ctx) {
    await logLater(ctx.query['log'], ctx.get('x-turn') === 'late');
    ctx.body = { id: ctx.params['id'] };
  });
  router.post('/echo', async (ctx) => {
    const text = await bodyOf(ctx.req);
    try {
      const body = JSON.parse(text) as { log?: unknown }; // written by the test itself
      await logLater(body.log);
      ctx.body = body;
    } catch {
      ctx.throw(400);
    }
  });
  router.get('/stream', (ctx) => void (ctx.body = Readable.from(letters())));
  router.get('/large', (ctx) => void (ctx.body = Readable.from(large(), { objectMode: false })));
  router.get('/endless', (ctx) => void (ctx.body = Readable.from(endless())));
  router.get('/made', (ctx) => void (ctx.body = String(made.bytes)));
  router.get('/empty', (ctx) => void (ctx.status = 204));
  router.get('/cookies', (ctx) => {
    ctx.cookies.set('a', '1');
    ctx.cookies.set('b', '2');
    ctx.body = 'ok';
  });
  router.get('/raw', (ctx) => {
    ctx.respond = false;
    answerRaw(ctx.res);
  });
  router.get('/boom', () => boom());
  app.use(router.routes());
  return app;
}
