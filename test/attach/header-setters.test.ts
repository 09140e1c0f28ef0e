import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { describe, it } from 'node:test';
import { startProgram } from './flagged-program.js';

interface Write {
  readonly by: string | null;
  readonly name: string;
  readonly value: string | null;
  readonly location?: { readonly name?: string; readonly file: string; readonly line: number };
  readonly isRemembered?: true;
}

const listen = `listen(Number(process.env.PORT), '127.0.0.1', () => process.send('up'))`;

/** Each sets `x-own` in the function `show` on line 5; some let a package set the content type. */
const programs = {
  'node:http': {
    text: `import { createServer } from 'node:http';
createServer(function show(request, response) {
  response.setHeader('x-gone', '1');
  response.removeHeader('x-gone');
  response.setHeader('X-Own', ['a', 'b']);
  response.writeHead(200, { 'Content-Type': 'text/plain' }).end('yes');
}).${listen};`,
    value: 'a, b',
    type: [null, 6],
  },
  Express: {
    text: `import express from 'express';
const app = express();
app.get('/', function show(request, response) {

  response.set('X-Own', 'a');
  response.json({ yes: true });
});
app.${listen};`,
    value: 'a',
    type: ['express', 6],
  },
  Koa: {
    text: `import Koa from 'koa';
const app = new Koa();
app.use(async function show(ctx) {
  await null;
  ctx.set('X-Own', 'a');
  ctx.body = { yes: true };
});
app.${listen};`,
    value: 'a',
    type: ['koa', 6],
  },
  Fastify: {
    text: `import fastify from 'fastify';
const app = fastify();
app.get('/', async function show(request, reply) {
  await null;
  reply.header('X-Own', 'a');
  return { yes: true };
});
app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' }).then(() => process.send('up'));`,
    value: 'a',
    type: ['fastify', undefined],
  },
} as const;

/** Their adapters copy the headers of a `Response`. */
const copied = {
  Hono: `import { Hono } from 'hono';
import { serve } from '@hono/node-server';
const app = new Hono();
app.get('/', (c) => c.json({ yes: true }, 200, { 'X-Own': 'a' }));
serve({ fetch: app.fetch, port: Number(process.env.PORT), hostname: '127.0.0.1' }, () => process.send('up'));`,
  'h3 by srvx': `import { H3, serve } from 'h3';
const app = new H3();
app.get('/', (event) => {
  event.res.headers.set('X-Own', 'a');
  return { yes: true };
});
await serve(app, { port: Number(process.env.PORT), hostname: '127.0.0.1' }).ready();
process.send('up');`,
} as const;

describe('the code that sets a header, under the flag', () => {
  for (const [title, text] of Object.entries(copied))
    it(`${title}: the adapter, which only copies the fields, is not shown as the setter`, async () => {
      const program = await startProgram({ name: 'app.mjs', text }, { isFlagged: true });
      try {
        const { response, sections } = await (await program.ask('/')).record();
        assert.deepEqual(
          response?.headers.filter(([name]) => name === 'x-own').map(([, value]) => value),
          ['a'],
        );
        assert.equal(sections['headers'], undefined);
      } finally {
        await program.close();
      }
    });

  for (const [title, { text, value, type }] of Object.entries(programs))
    it(`${title}: the setter is the application's line, or the package and the line that called it`, async () => {
      const program = await startProgram({ name: 'app.mjs', text }, { isFlagged: true });
      try {
        const answer = await program.ask('/');
        const record = await answer.record();
        const { writes } = record.sections['headers'] as { writes: readonly Write[] }; // the type that the collector stores
        const of = (name: string): readonly Write[] =>
          writes.filter((write) => write.name.toLowerCase() === name);
        const [own, ...more] = of('x-own');
        assert.deepEqual(more, [], 'set once');
        assert.equal(own?.value, value);
        assert.equal(own?.location?.line, 5);
        assert.equal(basename(own?.location?.file ?? ''), 'app.mjs');
        assert.match(own?.location?.name ?? '', /show$/);
        const [typed] = of('content-type');
        assert.equal(typed?.by ?? null, type[0]);
        if (type[1] !== undefined) assert.equal(typed?.location?.line, type[1]);
        assert.deepEqual(
          writes.filter(({ name }) => /^x-debug-token/i.test(name)),
          [],
          "headers that lookback adds are not the application's",
        );
        if (title === 'node:http')
          assert.deepEqual(
            of('x-gone').map((write) => write.value),
            ['1', null],
          );
        assert.equal(own?.isRemembered, undefined);
        for (let time = 2; time < 4; time++) await program.ask('/');
        const later = await (await program.ask('/')).record();
        const { writes: again } = later.sections['headers'] as { writes: readonly Write[] }; // as above
        const fourth = again.find(({ name }) => name.toLowerCase() === 'x-own');
        assert.deepEqual(fourth, { ...own, isRemembered: true });
      } finally {
        await program.close();
      }
    });
});
