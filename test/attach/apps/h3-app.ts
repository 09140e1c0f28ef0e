import { Readable } from 'node:stream';
import { H3, type Middleware } from 'h3';
import { boom, endless, large, letters, logLater, made } from './raw-answers.js';

const stream = (chunks: AsyncGenerator<Uint8Array>): Response =>
  new Response(Readable.toWeb(Readable.from(chunks, { objectMode: false })) as BodyInit); // a stream of bytes

/** The suite's application on h3; `first` runs before everything else. */
export function h3App(first?: Middleware): H3 {
  const app = new H3({ silent: true });
  if (first !== undefined) app.use(first);
  app.use(async function stamp(event) {
    event.res.headers.set('X-App', '1');
  });
  app.get('/users/:id', async function showUser(event) {
    await logLater(event.url.searchParams.get('log'), event.req.headers.get('x-turn') === 'late');
    return { id: event.context.params?.['id'] };
  });
  app.post('/echo', async (event) => {
    const body = (await event.req.json().catch(() => undefined)) as { log?: unknown } | undefined; // written by the test itself
    if (body === undefined) return new Response('malformed', { status: 400 });
    await logLater(body.log);
    return body;
  });
  app.get('/stream', () => stream(letters()));
  app.get('/large', () => stream(large()));
  app.get('/endless', () => stream(endless()));
  app.get('/made', () => String(made.bytes));
  app.get('/empty', () => new Response(null, { status: 204 }));
  app.get(
    '/cookies',
    () =>
      new Response('ok', {
        headers: [
          ['Set-Cookie', 'a=1'],
          ['Set-Cookie', 'b=2'],
        ],
      }),
  );
  app.get('/boom', () => boom());
  return app;
}
