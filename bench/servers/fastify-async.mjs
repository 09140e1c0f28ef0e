import fastify from 'fastify';

export async function start() {
  const app = fastify();
  app.get('/later/:name', async (request) => {
    await Promise.resolve();
    return { hello: request.params.name };
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  return {
    title: 'Fastify, asynchronous handler',
    port: app.server.address().port,
    path: '/later/{name}',
  };
}
