import fastify from 'fastify';

export async function start() {
  const app = fastify();
  app.get('/hello/:name', (request, reply) => {
    reply.send({ hello: request.params.name });
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  return { title: 'Fastify', port: app.server.address().port };
}
