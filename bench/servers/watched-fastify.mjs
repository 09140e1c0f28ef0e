import fastify from 'fastify';
import { lookback } from '../../dist/bundle/attach/fastify.js';

export async function start() {
  const app = fastify();
  await app.register(lookback, { store: 'memory:', enabled: true });
  app.get('/hello/:name', (request, reply) => {
    reply.send({ hello: request.params.name });
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  return { title: 'Fastify, recorded in memory', port: app.server.address().port };
}
