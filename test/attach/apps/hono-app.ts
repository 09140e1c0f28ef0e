import { Readable } from 'node:stream';
import { Hono, type MiddlewareHandler } from 'hono';
import { boom, endless, large, letters, logLater, made } from './raw-answers.js';

const stream = (chunks: AsyncGenerator<Uint8Array>): Response =>
  new Response(Readable.toWeb(Readable.from(chunks, { objectMode: false })) as BodyInit); // a stream of bytes

/** The suite's application on Hono; `first` runs before everything else. */
export function honoApp(first?: MiddlewareHandler): Hono {
  const app = new Hono();
  if (first !== undefined) app.use(first);
  app.use(async function stamp(context, next) {
    await next();
    context.header('X-App', '1');
  });
  app.get('/users/:id', async function showUser(context) {
    await logLater(context.req.query('log'), context.req.header('x-turn') === 'late');
    return context.json({ id: context.req.param('id') });
  });
  app.post('/echo', async (context) => {
    const body = await context.req.json<{ log?: unknown }>().catch(() => undefined);
    if (body === undefined) return context.text('malformed', 400);
    await logLater(body.log);
    return context.json(body);
  });
  app.get('/stream', () => stream(letters()));
  app.get('/large', () => stream(large()));
  app.get('/endless', () => stream(endless()));
  app.get('/made', (context) => context.text(String(made.bytes)));
  app.get('/empty', (context) => context.body(null, 204));
  app.get('/cookies', (context) => {
    context.header('Set-Cookie', 'a=1');
    context.header('Set-Cookie', 'b=2', { append: true });
    return context.text('ok');
  });
  app.get('/boom', () => boom());
  app.onError((_error, context) => context.text('failed', 500));
  return app;
}
