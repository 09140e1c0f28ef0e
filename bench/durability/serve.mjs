// The process under test: `framework` is a lookback application, `attached` a node:http server with the flag. Both answer /ok/… with 200
// and /fail/… with 500, record to PROFILER_STORE, and report their counters.
import { createServer } from 'node:http';
import { listening } from '../harness/listening.mjs';

const [, , kind] = process.argv;
let profiler;
process.send({ port: await (kind === 'attached' ? startAttached() : startFramework()) });

const answers = {
  counters: () => profiler?.counters(),
  memory() {
    globalThis.gc?.();
    return process.memoryUsage();
  },
};
process.on('message', (message) => process.send(answers[message]()));
process.on('disconnect', () => process.exit(0));

async function startFramework() {
  const { createApp } = await import('../../dist/bundle/index.js');
  const app = createApp({
    configuration: { env: 'dev', debug: true, profilerStore: process.env.PROFILER_STORE },
    logHandlers: [],
  });
  app.get('/ok/{name}', ({ params }) => ({ hello: params.name }));
  app.get('/fail/{name}', ({ params }) => {
    throw new Error(`${params.name} cannot be shown`);
  });
  ({ profiler } = app);
  const { port } = await app.listen({ host: '127.0.0.1', port: 0 });
  return port;
}

async function startAttached() {
  await import('../../dist/bundle/register.js');
  const server = createServer((request, response) => {
    response.statusCode = request.url.startsWith('/fail/') ? 500 : 200;
    response.end(JSON.stringify({ hello: request.url }));
  });
  return (await listening('attached', server)).port;
}
