import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ProfileRecord } from 'lookback/profiler';
import { until } from '../until.js';
import { startProgram } from './flagged-program.js';

const shared = `
  const find = async () => ({ name: 'Ada' });
  const lost = () => ({ user: find(), tags: new Map([['a', 1]]), none: {}, mean: 0 / 0 });
  const whole = () => ({ user: { name: 'Ada' }, none: {}, nothing: null });`;
const up = `Number(process.env.PORT), '127.0.0.1', () => process.send('up')`;

/** Each answers /lost with a promise in its JSON, and /whole without one. */
const programs = {
  Express: `
    import express from 'express';
    const app = express();
    app.get('/lost', (request, response) => response.json(lost()));
    app.get('/whole', (request, response) => response.json(whole()));
    app.listen(${up});`,
  Fastify: `
    import fastify from 'fastify';
    const app = fastify();
    app.get('/lost', (request, reply) => reply.send(lost()));
    app.get('/whole', async () => whole());
    app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' }).then(() => process.send('up'));`,
  Koa: `
    import Koa from 'koa';
    const app = new Koa();
    app.use((context) => { context.body = context.path === '/lost' ? lost() : whole(); });
    app.listen(${up});`,
  Hono: `
    import { serve } from '@hono/node-server';
    import { Hono } from 'hono';
    const app = new Hono();
    app.get('/lost', (context) => context.json(lost()));
    app.get('/whole', (context) => context.json(whole()));
    serve({ fetch: app.fetch, port: Number(process.env.PORT), hostname: '127.0.0.1' }, () => process.send('up'));`,
};

describe('a promise in a JSON response from another framework', () => {
  for (const [name, program] of Object.entries(programs))
    it(`${name}: is a finding with its path, as are a Map and NaN, but not an empty object or null`, async () => {
      const server = await startProgram({ name: 'app.mjs', text: shared + program }, { isFlagged: true });
      const lostIn = async (path: string, body: string): Promise<string[]> => {
        const response = await fetch(server.origin + path);
        assert.equal(await response.text(), body);
        const token = response.headers.get('x-debug-token') ?? '';
        const record = await until(async () => {
          const page = await fetch(`${server.origin}/_profiler/${token}.json`);
          return page.ok && ((await page.json()) as ProfileRecord); // our own JSON
        });
        return (record.findings ?? []).map(({ text }) => text).filter((text) => text.startsWith('JSON sent'));
      };
      try {
        assert.deepEqual(await lostIn('/lost', '{"user":{},"tags":{},"none":{},"mean":null}'), [
          'JSON sent {} for a promise at .user: is an await missing?',
          'JSON sent {} for a Map at .tags',
          'JSON sent null for NaN at .mean',
        ]);
        assert.deepEqual(await lostIn('/whole', '{"user":{"name":"Ada"},"none":{},"nothing":null}'), []);
      } finally {
        await server.close();
      }
    });
});
