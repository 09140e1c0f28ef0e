import { Readable } from 'node:stream';
import Fastify, { type FastifyInstance } from 'fastify';
import { lookback } from 'lookback/fastify';
import { answerRaw, boom, endless, large, letters, logLater, made } from './raw-answers.js';

/** The suite's application on Fastify. */
export async function fastifyApp(isAttached: boolean): Promise<FastifyInstance> {
  const app = Fastify({ forceCloseConnections: true });
  if (isAttached) await app.register(lookback, { store: 'memory:' });
  app.addHook('onRequest', async function stamp(_request, reply) {
    reply.header('X-App', '1');
  });
  app.get<{ Params: { id: string }; Querystring: { log?: string } }>(
    '/users/:id',
    async function showUser(request) {
      await logLater(request.query.log, request.headers['x-turn'] === 'late');
      return { id: request.params.id };
    },
  );
  app.post<{ Body: { log?: unknown } }>('/echo', async (request) => {
    await logLater(request.body.log);
    return request.body;
  });
  app.get('/stream', (_request, reply) => reply.send(Readable.from(letters())));
  app.get('/large', (_request, reply) => reply.send(Readable.from(large(), { objectMode: false })));
  app.get('/endless', (_request, reply) => reply.send(Readable.from(endless())));
  app.get('/made', () => String(made.bytes));
  app.get('/empty', (_request, reply) => reply.status(204).send());
  app.get('/cookies', (_request, reply) => reply.header('Set-Cookie', ['a=1', 'b=2']).send('ok'));
  app.get('/raw', (_request, reply) => {
    reply.hijack();
    answerRaw(reply.raw);
  });
  app.get('/boom', () => boom());
  return app;
}
