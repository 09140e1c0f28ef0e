import type { RequestListener } from 'node:http';
import { createRequire } from 'node:module';
import { pipeline, Readable } from 'node:stream';
import type { Express } from 'express';
import type * as express from 'express';
import { answerRaw, boom, endless, large, letters, logLater, made } from './raw-answers.js';

const load = createRequire(import.meta.url);

/** The suite's application on Express; `first` runs before everything else. */
export function expressApp(
  version: 'express' | 'express4',
  first?: RequestListener | express.RequestHandler,
): Express {
  const framework = load(version) as typeof express & (() => Express); // two versions of one package
  const app = framework();
  if (first !== undefined) app.use(first as express.RequestHandler);
  app.use(framework.json());
  app.use(function stamp(request: express.Request, response: express.Response, next: express.NextFunction) {
    response.set('X-App', request.next === next ? '1' : 'another next'); // the type that `response.format` takes
    next();
  });
  const users = framework.Router();
  users.get('/:id', function showUser(request, response, next) {
    logLater(request.query['log'], request.headers['x-turn'] === 'late').then(
      () => response.json({ id: request.params['id'] }),
      next,
    );
  });
  app.use('/users', users);
  app.post('/echo', (request, response, next) => {
    const body = request.body as { log?: unknown }; // written by the test itself
    logLater(body.log).then(() => response.json(body), next);
  });
  app.get(
    '/stream',
    (_request, response) => void pipeline(Readable.from(letters()), response, () => undefined),
  );
  app.get(
    '/large',
    (_request, response) =>
      void pipeline(Readable.from(large(), { objectMode: false }), response, () => undefined),
  );
  app.get(
    '/endless',
    (_request, response) => void pipeline(Readable.from(endless()), response, () => undefined),
  );
  app.get('/made', (_request, response) => void response.send(String(made.bytes)));
  app.get('/empty', (_request, response) => void response.status(204).end());
  app.get('/cookies', (_request, response) => void response.cookie('a', '1').cookie('b', '2').send('ok'));
  app.get('/raw', (_request, response) => answerRaw(response));
  app.get('/boom', () => boom());
  return app;
}
