// The same application without instrumentation, with lookback's flag, and with other products' instrumentation. The query string selects
// which: attached.mjs?express-lookback.
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Child } from '../harness/child.mjs';
import { listening } from '../harness/listening.mjs';
import { loadCore } from '../harness/pinning.mjs';

const require = createRequire(import.meta.url); // the instrumentations patch what is required here
const [framework, agent] = new URL(import.meta.url).search.slice(1).split('-');

export async function start() {
  const agentProcess = await agents[agent]();
  const title = `${titles[framework]}${agent === 'alone' ? '' : `, ${titles[agent]}`}`;
  return { ...(await frameworks[framework](title)), ...agentProcess };
}

const titles = {
  plain: 'node:http',
  express: 'Express',
  fastify: 'Fastify',
  lookback: 'recorded by lookback to SQLite, in production',
  development: 'recorded by lookback to SQLite, in development',
  opentelemetry: 'OpenTelemetry, spans discarded',
  otlp: 'OpenTelemetry, exported by OTLP/HTTP to a collector on another core',
  sentry: 'Sentry, every trace, discarded',
  sentrysent: 'Sentry, every trace, sent to a server on another core',
};

const agents = {
  alone: () => undefined,
  lookback: () => record(),
  /** The most common setup: with bodies, and with the code that set each header field. Only lookback runs in development mode here. */
  development() {
    process.env.APP_ENV = 'dev';
    return record();
  },
  opentelemetry() {
    trace({
      export: (_spans, done) => done({ code: 0 }),
      shutdown: () => Promise.resolve(),
      forceFlush: () => Promise.resolve(),
    });
  },
  async otlp() {
    const collector = await startCollector();
    const { OTLPTraceExporter } = require('@opentelemetry/exporter-trace-otlp-http');
    trace(new OTLPTraceExporter({ url: `http://127.0.0.1:${collector.port}/v1/traces` }));
    return collector.ends;
  },
  sentry() {
    require('@sentry/node').init({
      dsn: 'http://public@127.0.0.1:9/1',
      tracesSampleRate: 1,
      transport: () => ({
        send: () => Promise.resolve({ statusCode: 200 }),
        flush: () => Promise.resolve(true),
      }),
    });
  },
  async sentrysent() {
    const collector = await startCollector();
    require('@sentry/node').init({
      dsn: `http://public@127.0.0.1:${collector.port}/1`,
      tracesSampleRate: 1,
    });
    return collector.ends;
  },
};

/** Instruments the packages that the applications here use, and exports spans in batches. */
function trace(exporter) {
  const { registerInstrumentations } = require('@opentelemetry/instrumentation');
  const { HttpInstrumentation } = require('@opentelemetry/instrumentation-http');
  const { ExpressInstrumentation } = require('@opentelemetry/instrumentation-express');
  const { FastifyInstrumentation } = require('@opentelemetry/instrumentation-fastify');
  const { BatchSpanProcessor } = require('@opentelemetry/sdk-trace-base');
  const { NodeTracerProvider } = require('@opentelemetry/sdk-trace-node');
  const processor = new BatchSpanProcessor(exporter, { maxQueueSize: 100_000, maxExportBatchSize: 512 });
  const tracerProvider = new NodeTracerProvider({ spanProcessors: [processor] });
  tracerProvider.register();
  const instrumentations = [
    new HttpInstrumentation(),
    new ExpressInstrumentation(),
    new FastifyInstrumentation(),
  ];
  registerInstrumentations({ tracerProvider, instrumentations });
}

/** Starts a server to export to, and counts what it receives: without exports, the benchmark would not measure exporting. */
async function startCollector() {
  const child = new Child(new URL('../harness/collector.mjs', import.meta.url), { core: loadCore });
  const { port } = await child.next();
  return { port, ends: { recorded: () => child.ask('bodies'), stop: () => child.stop() } };
}

async function record() {
  const folder = mkdtempSync(join(tmpdir(), 'lookback-bench-'));
  Object.assign(process.env, { LOOKBACK: 'on', PROFILER_STORE: `sqlite:${folder}/profiler.db` });
  await import('../../dist/bundle/register.js');
  return {
    recorded: () => countWritten(`${folder}/profiler.db`),
    stop: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Under full load the writer runs a tenth of the time, so the first records may reach the disk after the last request. */
async function countWritten(file) {
  let records = countRecords(file);
  for (let tries = 0; records === 0 && tries < 100; tries++) {
    await pause(100);
    records = countRecords(file);
  }
  return records;
}

function countRecords(file) {
  const { DatabaseSync } = require('@photostructure/sqlite');
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return database.prepare('SELECT count(*) AS records FROM record').get().records;
  } finally {
    database.close();
  }
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
