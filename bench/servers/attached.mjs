// The same application without anything, under lookback's flag, and under the instrumentation of others. Which one is
// said behind the question mark of the file's address: attached.mjs?express-lookback.
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listening } from '../harness/listening.mjs';

const require = createRequire(import.meta.url); // what is required here is what the instrumentations patch
const [framework, agent] = new URL(import.meta.url).search.slice(1).split('-');

export async function start() {
  const stop = await agents[agent]();
  const title = `${titles[framework]}${agent === 'alone' ? '' : `, ${titles[agent]}`}`;
  return { ...(await frameworks[framework](title)), stop };
}

const titles = {
  plain: 'node:http',
  express: 'Express',
  fastify: 'Fastify',
  lookback: 'recorded by lookback to SQLite, in production',
  development: 'recorded by lookback to SQLite, in development',
  opentelemetry: 'OpenTelemetry, exported to nowhere',
  sentry: 'Sentry, every trace, sent to nowhere',
};

const agents = {
  alone: () => undefined,
  lookback: () => record(),
  /** As it is used most: with bodies, and with who set each header field. Only lookback takes it for development. */
  development() {
    process.env.APP_ENV = 'dev';
    return record();
  },
  opentelemetry() {
    const { registerInstrumentations } = require('@opentelemetry/instrumentation');
    const { HttpInstrumentation } = require('@opentelemetry/instrumentation-http');
    const { ExpressInstrumentation } = require('@opentelemetry/instrumentation-express');
    const { FastifyInstrumentation } = require('@opentelemetry/instrumentation-fastify');
    const { BatchSpanProcessor } = require('@opentelemetry/sdk-trace-base');
    const { NodeTracerProvider } = require('@opentelemetry/sdk-trace-node');
    const nowhere = {
      export: (_spans, done) => done({ code: 0 }),
      shutdown: () => Promise.resolve(),
      forceFlush: () => Promise.resolve(),
    };
    const processor = new BatchSpanProcessor(nowhere, { maxQueueSize: 100_000, maxExportBatchSize: 512 });
    const tracerProvider = new NodeTracerProvider({ spanProcessors: [processor] });
    tracerProvider.register();
    const instrumentations = [
      new HttpInstrumentation(),
      new ExpressInstrumentation(),
      new FastifyInstrumentation(),
    ];
    registerInstrumentations({ tracerProvider, instrumentations });
  },
  sentry() {
    const sentry = require('@sentry/node');
    sentry.init({
      dsn: 'http://public@127.0.0.1:9/1',
      tracesSampleRate: 1,
      transport: () => ({
        send: () => Promise.resolve({ statusCode: 200 }),
        flush: () => Promise.resolve(true),
      }),
    });
  },
};

async function record() {
  const folder = mkdtempSync(join(tmpdir(), 'lookback-bench-'));
  Object.assign(process.env, { LOOKBACK: 'on', PROFILER_STORE: `sqlite:${folder}/profiler.db` });
  await import('../../dist/bundle/register.js');
  return () => rmSync(folder, { recursive: true, force: true });
}

const frameworks = {
  plain: (title) => {
    const { createServer } = require('node:http');
    return listening(title, createServer(answerPlain));
  },
  express: (title) => {
    const app = require('express')();
    app.get('/hello/:name', (request, response) => response.json({ hello: request.params.name }));
    return listening(title, require('node:http').createServer(app));
  },
  async fastify(title) {
    const app = require('fastify')();
    app.get('/hello/:name', (request, reply) => {
      reply.send({ hello: request.params.name });
    });
    await app.listen({ port: 0, host: '127.0.0.1' });
    return { title, port: app.server.address().port };
  },
};

function answerPlain(request, response) {
  const query = request.url.indexOf('?');
  const name = request.url.slice('/hello/'.length, query === -1 ? undefined : query);
  const body = JSON.stringify({ hello: decodeURIComponent(name) });
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) });
  response.end(body);
}
