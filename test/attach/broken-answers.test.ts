import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createApp, HttpResponse } from 'lookback';
import type { ProfileRecord } from 'lookback/profiler';
import { eventStream } from 'lookback/web';
import { until } from '../until.js';
import { startProgram } from './flagged-program.js';

/** A stream that fails after its first bytes have been sent. */
const shared = `
  import { Readable } from 'node:stream';
  const broken = () => Readable.from((async function* () {
    yield 'begin';
    await new Promise((resolve) => setTimeout(resolve, 30));
    throw new TypeError('the disk is gone');
  })());`;
const up = `Number(process.env.PORT), '127.0.0.1', () => process.send('up')`;

/** Applications that answer /stream with a failing stream. */
const programs = {
  'node:http': `
    import { createServer } from 'node:http';
    createServer((request, response) => {
      response.write('begin');
      setTimeout(() => response.destroy(new TypeError('the disk is gone')), 30);
    }).listen(${up});`,
  'Express, piped': `
    import express from 'express';
    const app = express();
    app.get('/stream', (request, response) => {
      const stream = broken();
      stream.on('error', (error) => response.destroy(error));
      stream.pipe(response);
    });
    app.listen(${up});`,
  Fastify: `
    import fastify from 'fastify';
    const app = fastify();
    app.get('/stream', (request, reply) => reply.send(broken()));
    app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' }).then(() => process.send('up'));`,
  Koa: `
    import Koa from 'koa';
    const app = new Koa();
    app.silent = true;
    app.use((context) => { context.body = broken(); });
    app.listen(${up});`,
};

/** Requests a stream that fails; returns the request's record. */
async function recordOf(origin: string, path: string): Promise<ProfileRecord> {
  const response = await fetch(origin + path);
  await assert.rejects(response.text());
  const token = response.headers.get('x-debug-token') ?? '';
  let page = '';
  return until(
    async () => {
      page = await (await fetch(`${origin}/_profiler/${token}.json`)).text();
      return page.includes('"state":"aborted"') && (JSON.parse(page) as ProfileRecord); // our own JSON
    },
    () => page.slice(0, 500),
  );
}

function assertHasError({ exception, findings }: ProfileRecord): void {
  assert.equal(exception?.errors.at(-1)?.message, 'the disk is gone');
  const [first] = findings ?? [];
  assert.deepEqual([first?.kind, first?.level], ['error', 'error']);
}

describe('a response that ends with an error', () => {
  for (const [name, text] of Object.entries(programs))
    it(`${name}: the record has that error as its first finding`, async () => {
      const program = await startProgram({ name: 'app.mjs', text: shared + text }, { isFlagged: true });
      try {
        assertHasError(await recordOf(program.origin, '/stream'));
      } finally {
        await program.close();
      }
    });

  it('lookback: event streams are recorded with the error as well', async () => {
    const broken = async function* (): AsyncGenerator<string> {
      yield 'begin';
      await new Promise((resolve) => setTimeout(resolve, 150)); // longer than the head is held back for an error
      throw new TypeError('the disk is gone');
    };
    const app = createApp();
    app.get('/stream', () => HttpResponse.stream(broken()));
    app.get('/events', ({ request }) => eventStream(request, broken));
    const { url } = await app.listen({ port: 0 });
    try {
      for (const path of ['/stream', '/events']) assertHasError(await recordOf(url.replace(/\/$/, ''), path));
    } finally {
      await app.close();
    }
  });
});
