import { createServer } from 'node:http';
import { Application } from '@adonisjs/application';
import { ServerFactory } from '@adonisjs/http-server/factories';
import { listening } from '../harness/listening.mjs';

export async function start() {
  const app = new Application(new URL('./', import.meta.url), {
    environment: 'web',
    importer: (file) => import(file),
  });
  await app.init();
  const server = new ServerFactory().merge({ app }).create();
  server.use([]);
  server.getRouter().get('/hello/:name', ({ params }) => ({ hello: params.name }));
  await server.boot();
  return listening("Adonis's server", createServer(server.handle.bind(server)));
}
