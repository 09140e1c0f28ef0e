import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startProgram } from './flagged-program.js';

const up = `Number(process.env.PORT), '127.0.0.1'`;

/**
 * The handlers throw or call \`next(value)\`. Nevertheless, each application answers /value or /thrown with a status below 400, /moved with
 * a redirect, and /refused with a status of 500 or above.
 */
const programs = {
  'Express 5': `
    import express from 'express';
    const app = express();
    app.get('/value', (request, response, next) => next({ name: 'a', versions: {} }));
    app.get('/list', (request, response, next) => next([]));
    app.get('/thrown', async () => { throw new Error('caught'); });
    app.get('/moved', () => { throw new Error('log in'); });
    app.get('/refused', (request, response, next) => next({ status: 503 }));
    app.get('/broken', (request, response, next) => { response.write('a'); next(new Error('in the middle')); });
    app.use((value, request, response, next) => {
      if (response.headersSent) response.end();
      else if (request.path === '/moved') response.redirect('/login');
      else response.status(request.path === '/refused' ? 503 : 200).json(value);
    });
    app.listen(${up}, () => process.send('up'));`,
  Fastify: `
    import fastify from 'fastify';
    const app = fastify();
    for (const path of ['/value', '/thrown', '/moved', '/refused'])
      app.get(path, async () => { throw new Error('caught'); });
    app.setErrorHandler((error, request, reply) => {
      if (request.url === '/moved') return reply.code(302).redirect('/login');
      return reply.code(request.url === '/refused' ? 500 : 200).send('answered');
    });
    app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' }).then(() => process.send('up'));`,
  Koa: `
    import Koa from 'koa';
    const app = new Koa();
    app.use(async (context, next) => {
      try { await next(); }
      catch {
        if (context.path === '/moved') return context.redirect('/login');
        context.status = context.path === '/refused' ? 500 : 200;
        context.body = 'answered';
      }
    });
    app.use(async () => { throw new Error('caught'); });
    app.listen(${up}, () => process.send('up'));`,
  Hono: `
    import { Hono } from 'hono';
    import { HTTPException } from 'hono/http-exception';
    import { serve } from '@hono/node-server';
    const app = new Hono();
    app.get('/moved', () => { throw new HTTPException(302, { res: new Response(null, { status: 302, headers: { location: '/login' } }) }); });
    app.get('/:any', () => { throw new Error('caught'); });
    app.onError((error, c) => error instanceof HTTPException ? error.getResponse() : c.text('answered', c.req.path === '/refused' ? 500 : 200));
    serve({ fetch: app.fetch, port: Number(process.env.PORT), hostname: '127.0.0.1' }, () => process.send('up'));`,
};

describe('node --import lookback/register: errors answered by an error handler', () => {
  for (const [name, text] of Object.entries(programs))
    it(`${name}: the record has an exception only if the status is 400 or above`, async () => {
      const program = await startProgram({ name: 'app.mjs', text }, { isFlagged: true });
      try {
        for (const path of [
          '/value',
          '/thrown',
          '/moved',
          ...(name.startsWith('Express') ? ['/list'] : []),
        ]) {
          const answer = await program.ask(path);
          assert.equal(answer.status, path === '/moved' ? 302 : 200, path);
          const record = await answer.record();
          assert.equal(record.exception, null, path);
        }
        const refused = await (await program.ask('/refused')).record();
        assert.notEqual(refused.exception, null);
      } finally {
        await program.close();
      }
    });

  it('Express 5: an error after the response began stays an exception', async () => {
    const program = await startProgram({ name: 'app.mjs', text: programs['Express 5'] }, { isFlagged: true });
    try {
      const answer = await program.ask('/broken');
      assert.equal(answer.status, 200);
      assert.equal((await answer.record()).exception?.errors[0]?.message, 'in the middle');
    } finally {
      await program.close();
    }
  });

  for (const express of ['express', 'express4'])
    it(`${express}: a request that every layer passes on matches no route; a response by a layer is not reported as unmatched`, async () => {
      const text = `
        import express from '${express}';
        const app = express(), part = express.Router(), own = express();
        app.use(express.json());
        part.get('/a', (request, response) => response.send('a'));
        own.use((request, response) => response.status(404).json({ no: 'page' }));
        app.use('/part', part).use('/own', own);
        app.get('/x', (request, response) => response.status(404).send('no such x'));
        app.listen(${up}, () => process.send('up'));`;
      const program = await startProgram({ name: 'app.mjs', text }, { isFlagged: true });
      const findingOf = async (path: string): Promise<string | undefined> =>
        (await (await program.ask(path)).record()).findings?.find(({ kind }) => kind === 'refused')?.text;
      try {
        assert.equal(await findingOf('/nope'), 'No route matches GET /nope');
        assert.equal(await findingOf('/part/b'), 'No route matches GET /part/b');
        assert.equal(await findingOf('/part/a'), undefined);
        assert.match((await findingOf('/own/z')) ?? '', /^Answered 404: .*no.*page/);
        assert.match((await findingOf('/x')) ?? '', /^Answered 404 .*by GET \/x$/);
      } finally {
        await program.close();
      }
    });
});
