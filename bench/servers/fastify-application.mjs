import accepts from '@fastify/accepts';
import cookie from '@fastify/cookie';
import session from '@fastify/session';
import fastify from 'fastify';
import { openJournal, showPage } from '../harness/journal.mjs';
import { visitorCount } from '../harness/visitors.mjs';

/** The same application with Fastify and its plugins. It records nothing. */
export async function start() {
  const orm = await openJournal();
  const app = fastify({ logger: { level: 'warn' } });
  app.register(cookie);
  app.register(session, {
    secret: 'a secret of more than thirty-two characters',
    cookie: { secure: false },
    rolling: false,
    saveUninitialized: false,
  });
  app.register(accepts);
  app.decorateRequest('em');
  app.get('/sign-in', (request, reply) => {
    request.session.user = { identifier: request.query.user, roles: ['ROLE_READER'] };
    reply.send('Signed in.');
  });
  const mayRead = async (request, reply) => {
    const user = request.session.user;
    if (user === undefined) return reply.code(401).send();
    if (!user.roles.includes('ROLE_READER')) return reply.code(403).send();
    request.em = orm.em.fork();
  };
  app.get('/journal/:name', { preHandler: mayRead }, async (request, reply) => {
    const locale = request.language(['en', 'de', 'fr']) || 'en';
    reply.header('Content-Language', locale);
    reply.header('Vary', 'Accept-Language');
    return showPage(request.em, {
      log: request.log,
      name: request.params.name,
      topic: request.query.topic,
      locale,
      user: request.session.user.identifier,
    });
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address();
  const cookies = [];
  for (let visitor = 0; visitor < visitorCount; visitor++) {
    const response = await fetch(`http://127.0.0.1:${port}/sign-in?user=visitor-${visitor}`);
    cookies.push(response.headers.getSetCookie()[0].split(';', 1)[0]);
  }
  return { title: 'Fastify, the whole application', port, path: '/journal/{name}', cookies };
}
